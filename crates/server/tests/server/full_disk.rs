//! A disk without enough space, as a small tmpfs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;

use logtrace_common::Flavor;
use logtrace_server::{Instance, ServerError};
use rstest::rstest;

use crate::base::{Base, Messages};

/// A mounted tmpfs, unmounted at the end.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn mount(path: &Path, mebibytes: u32) -> Self {
        fs::create_dir(path).unwrap();
        let mounted = Command::new("mount")
            .args([
                "-t",
                "tmpfs",
                "-o",
                &format!("size={mebibytes}m,mode=755"),
                "tmpfs",
            ])
            .arg(path)
            .status()
            .unwrap();
        assert!(mounted.success(), "cannot mount a tmpfs on {}", path.display());
        Self(path.to_owned())
    }

    fn used_files(&self) -> Vec<PathBuf> {
        fs::read_dir(&self.0)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_none_or(|extension| extension != "lock"))
            .collect()
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        assert!(is_unmounted(&self.0), "{} is in use", self.0.display());
    }
}

/// Unmounts. The kernel may close the last files of a process a moment after its end, so there are several attempts.
fn is_unmounted(path: &Path) -> bool {
    (0..20).any(|attempt| {
        thread::sleep(Duration::from_millis(25 * attempt));
        let unmounted = Command::new("umount").arg(path).status();
        unmounted.is_ok_and(|status| status.success())
    })
}

#[rstest]
#[case(Flavor::MySql)]
#[case(Flavor::MariaDb)]
#[tokio::test]
async fn no_space_for_a_copy(#[case] flavor: Flavor) {
    let base = Base::new();
    let disk = SmallDisk::mount(&base.instances(), 20);
    let error = Instance::start(&base.config(flavor, &[]), None, &|_| {})
        .await
        .unwrap_err();
    assert!(
        matches!(&error, ServerError::DiskFull(path) if *path == disk.0),
        "{error}"
    );
    assert_eq!(disk.used_files(), Vec::<PathBuf>::new());
}

#[rstest]
#[case(Flavor::MySql)]
#[case(Flavor::MariaDb)]
#[tokio::test]
async fn no_space_to_initialise(#[case] flavor: Flavor) {
    let base = Base::new();
    let disk = SmallDisk::mount(&base.path().join("t"), 20);
    let mut config = base.config(flavor, &[]);
    config.home.templates.clone_from(&disk.0);
    let messages = Messages::default();
    let error = Instance::start(&config, None, &|text| messages.add(text))
        .await
        .unwrap_err();
    assert!(
        matches!(&error, ServerError::DiskFull(path) if *path == disk.0),
        "{error}"
    );
    assert_eq!(messages.containing("initialising"), 1);
    assert_eq!(disk.used_files(), Vec::<PathBuf>::new());
    assert_eq!((base.left().len(), base.processes()), (0, vec![]));
}

#[rstest]
#[case(Flavor::MySql)]
#[case(Flavor::MariaDb)]
#[tokio::test]
async fn no_space_for_the_start_after_the_copy(#[case] flavor: Flavor) {
    let base = Base::new();
    // The copy takes 190 MiB (MySQL) and 115 MiB (MariaDB); the undo log asked for takes more.
    let (mebibytes, setting) = match flavor {
        Flavor::MySql => (200, "innodb_temp_data_file_path=ibtmp1:100M:autoextend"),
        Flavor::MariaDb => (130, "innodb_temp_data_file_path=ibtmp1:100M:autoextend"),
    };
    let disk = SmallDisk::mount(&base.instances(), mebibytes);
    let config = base.config(flavor, &[setting]);
    let error = Instance::start(&config, None, &|_| {}).await.unwrap_err();
    assert!(
        matches!(&error, ServerError::DiskFull(path) if *path == disk.0),
        "{error}"
    );
    assert_eq!(disk.used_files(), Vec::<PathBuf>::new());
}
