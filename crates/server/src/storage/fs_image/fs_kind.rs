//! Kinds of file systems that can be made for a private server.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use logtrace_common::UnknownName;
use strum::{Display, EnumIter, EnumString, IntoEnumIterator, IntoStaticStr, VariantNames};
use thiserror::Error;

use crate::storage::fs_image::loop_device;

/// File system that logtrace can make.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Display, EnumIter, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "snake_case", parse_err_ty = UnknownName, parse_err_fn = unknown_kind)]
pub enum ImageKind {
    /// ext4.
    Ext4,
    /// XFS.
    Xfs,
    /// Btrfs.
    Btrfs,
}

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
    /// Returns all kinds.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::iter()
    }

    /// Returns the name that mount(8) uses.
    pub fn as_str(self) -> &'static str {
        self.into()
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
                format!("the kernel {release} has neither {self} nor a module for it"),
                format!("boot a kernel with {self}, or choose another file system"),
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

fn unknown_kind(text: &str) -> UnknownName {
    UnknownName::new("file system", text, ImageKind::VARIANTS)
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
        for kind in ImageKind::all() {
            assert_eq!(kind.to_string().parse(), Ok(kind));
        }
        let error = "zfs".parse::<ImageKind>().unwrap_err();
        assert!(error.to_string().contains("ext4, xfs or btrfs"), "{error}");
    }
}
