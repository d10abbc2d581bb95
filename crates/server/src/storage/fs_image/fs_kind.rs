//! Kinds of file systems that can be made for a private server.

use std::env;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use thiserror::Error;

use crate::storage::fs_image::loop_device;

/// File system that logtrace can make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageKind {
    /// ext4.
    Ext4,
    /// XFS.
    Xfs,
    /// Btrfs.
    Btrfs,
}

/// Error for the name of a file system that logtrace does not make.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0:?} is no file system that logtrace makes: write ext4, xfs or btrfs")]
pub struct ImageKindError(String);

/// Error if a file system cannot be made on this machine.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{seen}: {remedy}")]
pub struct MissingTool {
    /// Missing program, module or device.
    pub seen: String,
    /// Advice.
    pub remedy: String,
}

impl ImageKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Ext4, Self::Xfs, Self::Btrfs];

    /// Returns the name that mount(8) uses.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ext4 => "ext4",
            Self::Xfs => "xfs",
            Self::Btrfs => "btrfs",
        }
    }

    /// Returns the program that makes the file system, if this machine can make and mount it.
    pub fn tool(self) -> Result<PathBuf, MissingTool> {
        let missing = |seen: String, remedy: String| Err(MissingTool { seen, remedy });
        let name = format!("mkfs.{self}");
        let Some(tool) = find_program(&name) else {
            return missing(
                format!("no {name}"),
                format!("apt-get install {}", self.package()),
            );
        };
        let release = rustix::system::uname().release().to_string_lossy().into_owned();
        if !self.is_in_kernel(&release) {
            return missing(
                format!("the kernel {release} has no {self}, nor a module of it"),
                format!("boot a kernel with {self}, or take another file system"),
            );
        }
        if !Path::new(loop_device::CONTROL).exists() {
            return missing(
                format!("no {}", loop_device::CONTROL),
                "modprobe loop, or give the container loop devices".to_owned(),
            );
        }
        Ok(tool)
    }

    /// Returns the Debian package of the program.
    fn package(self) -> &'static str {
        match self {
            Self::Ext4 => "e2fsprogs",
            Self::Xfs => "xfsprogs",
            Self::Btrfs => "btrfs-progs",
        }
    }

    /// Returns whether the kernel has the file system, or a module that mounting loads.
    fn is_in_kernel(self, release: &str) -> bool {
        let modules = format!("/lib/modules/{release}/modules.dep");
        let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
        knows(&read("/proc/filesystems"), self.as_str()) || has_module(&read(&modules), self.as_str())
    }
}

/// Finds a program in PATH and in root's directories, which are not in every user's PATH.
fn find_program(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        .chain(["/usr/sbin".into(), "/sbin".into()])
        .map(|directory| directory.join(name))
        .find(|path| path.is_file())
}

/// Returns whether `/proc/filesystems` lists a name. Its lines are a tab and a name, with `nodev` before them if no
/// device is needed.
fn knows(file_systems: &str, name: &str) -> bool {
    file_systems
        .lines()
        .any(|line| line.split_whitespace().last() == Some(name))
}

/// Returns whether `modules.dep` lists a module. Its lines are `PATH/NAME.ko[.COMPRESSION]: DEPENDENCIES`.
fn has_module(dependencies: &str, name: &str) -> bool {
    let start = format!("/{name}.ko");
    dependencies
        .lines()
        .filter_map(|line| line.split_once(':'))
        .any(|(module, _)| module.contains(&start))
}

impl FromStr for ImageKind {
    type Err = ImageKindError;

    fn from_str(text: &str) -> Result<Self, ImageKindError> {
        Self::ALL
            .into_iter()
            .find(|kind| kind.as_str() == text)
            .ok_or_else(|| ImageKindError(text.to_owned()))
    }
}

impl fmt::Display for ImageKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_tells_what_it_can_mount() {
        let file_systems = "nodev\tsysfs\n\text4\n\tfuseblk\n";
        assert!(knows(file_systems, "ext4") && knows(file_systems, "sysfs"));
        assert!(!knows(file_systems, "ext") && !knows(file_systems, "nodev"));
        let modules =
            "kernel/fs/xfs/xfs.ko.zst: kernel/lib/libcrc32c.ko.zst\nkernel/fs/x.ko: kernel/fs/btrfs.ko\n";
        assert!(has_module(modules, "xfs"));
        assert!(!has_module(modules, "btrfs"), "only a dependency");
        assert!(!has_module(modules, "fs"));
    }

    #[test]
    fn names_are_read_as_they_are_written() {
        for kind in ImageKind::ALL {
            assert_eq!(kind.to_string().parse(), Ok(kind));
        }
        let error = "zfs".parse::<ImageKind>().unwrap_err();
        assert!(error.to_string().contains("ext4, xfs or btrfs"), "{error}");
    }
}
