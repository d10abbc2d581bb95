//! Processes of the server's user that try to lead root astray: links in place of directories, before and during a copy.

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use logtrace_common::Flavor;
use logtrace_server::{Instance, InstanceConfig, ServerUser};
use nix::unistd::{Gid, Uid, setfsgid, setfsuid};
use rstest::rstest;

use crate::base::Base;

/// Writes a program in place of mysqld, which makes a data directory of `files` files and then does something else.
fn program(base: &Base, files: u32, then: &str) -> InstanceConfig {
    let path = base.path().join("mysqld");
    let text = format!(
        "#!/bin/sh\n\
         for word; do case $word in --datadir=*) data=${{word#*=}};; --initialize-insecure) new=1;; esac; done\n\
         [ -z \"$new\" ] || {{ mkdir -p \"$data\"; for n in $(seq {files}); do echo $n >\"$data/$n\"; done; }}\n\
         {then}\n"
    );
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
    let mut config = base.config(Flavor::MySql, &[]);
    config.binary.path = path;
    config.home.templates = base.path().join("t");
    config
}

/// Makes a directory of root with a file that only root may read.
fn secret(base: &Base) -> PathBuf {
    let directory = base.path().join("canary");
    fs::create_dir(&directory).unwrap();
    fs::write(directory.join("key"), "secret").unwrap();
    fs::set_permissions(directory.join("key"), Permissions::from_mode(0o600)).unwrap();
    directory
}

#[tokio::test]
async fn a_data_directory_that_is_a_link_gives_no_file_of_root_away() {
    let base = Base::new();
    let (canary, loot) = (secret(&base), base.path().join("loot"));
    fs::write(&loot, "").unwrap();
    chown(&loot, Some(ServerUser::choose(None).unwrap().uid), None).unwrap();
    let (canary, loot) = (canary.display(), loot.display());
    let steal = format!("cat \"$data\"/key \"$data\"/canary/key >>{loot} 2>/dev/null");
    let link = format!("rm -rf \"$data\"; ln -s {canary} \"$data\"");
    let config = program(
        &base,
        0,
        &format!("[ -z \"$new\" ] || {{ {link}; exit 0; }}\n{steal}; exit 1"),
    );
    for _ in 0..2 {
        Instance::start(&config, None, &|_| ()).await.unwrap_err();
    }
    assert_eq!(fs::read_to_string(base.path().join("loot")).unwrap(), "");
}

/// Replaces the data directory of each instance by a link to `target`, with the rights of the server's user, until
/// `stop`.
fn replace(instances: &Path, target: &Path, stop: &AtomicBool) {
    let user = ServerUser::choose(None).unwrap();
    setfsgid(Gid::from_raw(user.gid));
    setfsuid(Uid::from_raw(user.uid));
    while !stop.load(Ordering::Relaxed) {
        for instance in fs::read_dir(instances).into_iter().flatten().flatten() {
            let data = instance.path().join("data");
            if fs::rename(&data, instance.path().join("old")).is_ok() {
                let _ = symlink(target, &data);
            }
        }
    }
}

#[rstest]
#[case::file_of_root("canary/key")]
#[case::directory_of_root("canary")]
#[tokio::test]
async fn a_directory_that_is_replaced_during_a_copy_leads_root_nowhere(#[case] target: &str) {
    let base = Base::new();
    let canary = secret(&base);
    let config = program(&base, 500, "[ -n \"$new\" ]");
    let stop = Arc::new(AtomicBool::new(false));
    let spinner = {
        let (instances, target, stop) = (base.instances(), base.path().join(target), Arc::clone(&stop));
        thread::spawn(move || replace(&instances, &target, &stop))
    };
    for _ in 0..40 {
        Instance::start(&config, None, &|_| ()).await.unwrap_err();
    }
    stop.store(true, Ordering::Relaxed);
    spinner.join().unwrap();
    for path in [&canary, &canary.join("key")] {
        assert_eq!(fs::metadata(path).unwrap().uid(), 0, "{}", path.display());
    }
    assert_eq!(fs::read_dir(&canary).unwrap().count(), 1);
}
