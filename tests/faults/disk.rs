//! A disk without space for a private server.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::fs::{FallocateFlags, fallocate, statvfs};

use crate::common::{SERVERS, alone, driver};
use crate::home::{Home, LONG, SHORT};
use crate::leftovers::patiently;
use crate::started::tells;

/// A file system of its own, unmounted at the end.
struct Disk(PathBuf);

impl Disk {
    fn tmpfs(path: &Path) -> Self {
        Self::mount(path, &["-t", "tmpfs", "-o", "size=40m,mode=755", "tmpfs"])
    }

    /// As large as a run asks for, in a sparse file.
    fn ext4(path: &Path) -> Self {
        let image = path.with_extension("image");
        File::create(&image).unwrap().set_len(1500 << 20).unwrap();
        let made = Command::new("mkfs.ext4").arg("-q").arg(&image).status().unwrap();
        assert!(made.success(), "cannot make an ext4 in {}", image.display());
        Self::mount(path, &["-o", "loop", &image.to_string_lossy()])
    }

    fn mount(path: &Path, what: &[&str]) -> Self {
        fs::create_dir(path).unwrap();
        let mounted = Command::new("mount").args(what).arg(path).status().unwrap();
        assert!(mounted.success(), "cannot mount on {}", path.display());
        Self(path.to_owned())
    }

    /// Takes all the space that there is, what is reserved for root included.
    fn fill(&self) {
        let balloon = File::create(self.0.join("balloon")).unwrap();
        let mut at = 0;
        for step in [64 << 20, 1 << 20, 4096] {
            while fallocate(&balloon, FallocateFlags::empty(), at, step).is_ok() {
                at += step;
            }
        }
        let free = statvfs(&self.0).unwrap();
        assert!(
            free.f_bavail * free.f_bsize < 1 << 20,
            "the server may write meanwhile"
        );
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // A server that was killed may take a while.
        patiently("a disk that is not in use", || {
            let unmounted = Command::new("umount").arg("--quiet").arg(&self.0).status();
            unmounted.is_ok_and(|status| status.success())
        });
    }
}

#[test]
fn a_disk_that_is_too_small_is_refused_at_once() {
    let home = Home::new();
    let disk = Disk::tmpfs(&home.instances());
    home.run(SHORT)
        .refused(1, &["disk space", disk.0.to_str().unwrap(), "free at least"]);
    drop(disk);
    home.assert_untouched();
}

#[test]
fn a_disk_that_is_full_while_a_data_directory_is_initialised() {
    let _alone = alone();
    for server in SERVERS {
        let home = Home::without_templates();
        let disk = Disk::tmpfs(&home.path().join("templates"));
        let ended = home.run(&format!("--server {server} {SHORT}"));
        ended.refused(1, &["the disk of", disk.0.to_str().unwrap(), "is full"]);
        drop(disk);
        home.assert_only_log_left(&ended);
    }
}

#[test]
fn a_disk_that_fills_up_in_the_window() {
    let _alone = alone();
    for server in SERVERS {
        let home = Home::new();
        let disk = Disk::ext4(&home.instances());
        let long = LONG.replace("60s", "4s");
        let run = home
            .start(&format!("--server {server} --workload insert {long}"))
            .measuring();
        disk.fill();
        let ended = run.ended();
        drop(disk);
        assert_eq!(ended.code, Some(3), "{server}: {}{}", ended.stdout, ended.stderr);
        let document = ended.measured();
        assert!(tells(&document, "disk_full"), "{server}: {:?}", document.caveats);
        let driver = driver(&document);
        assert!(driver.done > 0 && driver.done < driver.requests, "{server}");
        home.assert_nothing_left();
    }
}
