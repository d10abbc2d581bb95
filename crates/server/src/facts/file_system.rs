//! Facts of a file system and of the disk below it.

use std::collections::HashMap;
use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::Context;
use logtrace_common::process::ProcessHandle;
use procfs::process::{MountInfo, Process};
use rustix::fs::{AtFlags, Mode, OFlags, StatxFlags, fstatvfs, major, minor, open, statx};
use serde::Serialize;

use crate::error::ServerError;
use crate::facts::block_device::BlockDeviceFacts;

/// File system of a directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FileSystemFacts {
    /// Directory that was looked up.
    pub path: PathBuf,
    /// Mount point of the file system.
    pub mount_point: PathBuf,
    /// Type, such as `ext4`.
    pub kind: String,
    /// Options of the mount and of the file system, sorted.
    pub options: Vec<String>,
    /// Mounted device, such as `/dev/vda1`.
    pub source: Option<String>,
    /// Disk below, or `None` for file systems without a single disk.
    pub device: Option<BlockDeviceFacts>,
    /// Bytes that an unprivileged process can still write.
    pub free_bytes: u64,
    /// File system that holds the image, if this one is in an image file; that of the upper layer, which takes all writes,
    /// if this one is overlayfs.
    pub below: Option<Box<FileSystemFacts>>,
}

/// Message if `/proc` cannot be read.
const NO_MOUNTS: &str = "cannot read the mounts in /proc";

impl FileSystemFacts {
    /// Reads the facts of the file system that holds the existing `path`.
    pub fn of(path: &Path) -> Result<Self, ServerError> {
        let opened = open_path(path).with_context(|| failed(path))?;
        Ok(Self::reached_by(&opened, path, &[&this_thread()?])?)
    }

    /// Reads the facts of the file system that holds `path` as a process sees it, which may be in a container or have
    /// another root.
    pub fn seen_by(process: &ProcessHandle, path: &Path) -> Result<Self, ServerError> {
        let opened = process.open_in_root(path).with_context(|| failed(path))?;
        Ok(Self::reached_by(
            &opened,
            path,
            &[&this_thread()?, process.entry()],
        )?)
    }

    /// Reads the facts of the file system of `reached` and of the one below, if it is in an image or overlayfs. `path` is
    /// the path in the result.
    fn reached_by(reached: &OwnedFd, path: &Path, known_to: &[&Process]) -> anyhow::Result<Self> {
        let mut facts = Self::by_itself(reached, path, known_to)?;
        let device = facts.device.as_ref();
        let holder = device.and_then(BlockDeviceFacts::backing_directory);
        let holder = holder.or_else(|| facts.upper_layer());
        // The name may mean another file system here than where it was mounted: then it is left out.
        facts.below = holder
            .and_then(|directory| Self::by_itself(&open_path(&directory).ok()?, &directory, known_to).ok())
            .filter(|below| (&below.mount_point, &below.kind) != (&facts.mount_point, &facts.kind))
            .map(Box::new);
        Ok(facts)
    }

    /// Returns the directory of the upper layer of overlayfs, as it was named when that was mounted.
    fn upper_layer(&self) -> Option<PathBuf> {
        let mut options = self.options.iter();
        let layer = options.find_map(|option| option.strip_prefix("upperdir="))?;
        (self.kind == "overlay" && layer.starts_with('/')).then(|| layer.into())
    }

    /// Reads the facts without those below. One of the processes must see the mount.
    fn by_itself(reached: &OwnedFd, path: &Path, known_to: &[&Process]) -> anyhow::Result<Self> {
        // Without an answer from a server of the file system, which might never come.
        let at_once = AtFlags::EMPTY_PATH | AtFlags::STATX_DONT_SYNC;
        let mount_id = statx(reached, "", at_once, StatxFlags::MNT_ID)
            .with_context(|| failed(path))?
            .stx_mnt_id;
        let space = fstatvfs(reached).with_context(|| failed(path))?;
        let mut mounts = Vec::new();
        for process in known_to {
            mounts.extend(process.mountinfo().context(NO_MOUNTS)?.0);
        }
        let mount = mounts
            .into_iter()
            .find(|mount| u64::try_from(mount.mnt_id) == Ok(mount_id))
            .with_context(|| format!("{} is on a mount that /proc does not list", path.display()))?;
        let number = device_number(&mount, |source| Some(fs::metadata(source).ok()?.rdev()));
        let device = number.and_then(|number| BlockDeviceFacts::read(Path::new("/sys"), &number));
        Ok(Self::new(path, mount, device, space.f_bavail * space.f_frsize))
    }

    pub(crate) fn new(
        path: &Path,
        mount: MountInfo,
        device: Option<BlockDeviceFacts>,
        free_bytes: u64,
    ) -> Self {
        Self {
            path: path.to_owned(),
            mount_point: mount.mount_point,
            kind: mount.fs_type,
            options: options([mount.mount_options, mount.super_options]),
            source: mount.mount_source,
            device,
            free_bytes,
            below: None,
        }
    }
}

/// Opens a path as a place in the file system, without the file itself.
fn open_path(path: &Path) -> io::Result<OwnedFd> {
    Ok(open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty())?)
}

fn failed(path: &Path) -> String {
    format!("cannot find the file system of {}", path.display())
}

/// Returns the calling thread, which may be in another mount namespace than the process.
fn this_thread() -> anyhow::Result<Process> {
    let id = rustix::thread::gettid().as_raw_nonzero();
    Process::new_with_root(PathBuf::from(format!("/proc/self/task/{id}"))).context(NO_MOUNTS)
}

/// Returns `major:minor` of the device below. btrfs shows a number of its own (major 0), so the mounted device file is
/// looked up there.
pub(crate) fn device_number(
    mount: &MountInfo,
    number_of_file: impl Fn(&str) -> Option<u64>,
) -> Option<String> {
    if !mount.majmin.starts_with("0:") {
        return Some(mount.majmin.clone());
    }
    let source = mount
        .mount_source
        .as_deref()
        .filter(|source| source.starts_with('/'))?;
    let device = number_of_file(source).filter(|&device| device != 0)?;
    Some(format!("{}:{}", major(device), minor(device)))
}

fn options(maps: [HashMap<String, Option<String>>; 2]) -> Vec<String> {
    let mut options: Vec<String> = maps
        .into_iter()
        .flatten()
        .map(|(name, value)| value.map_or(name.clone(), |value| format!("{name}={value}")))
        .collect();
    options.sort();
    options.dedup();
    options
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use logtrace_common::process::open_within;

    use super::*;

    #[test]
    fn a_line_of_mountinfo_becomes_facts() {
        let line = "36 35 98:0 /mnt1 /mnt/two rw,noatime master:1 - ext4 /dev/root rw,errors=continue";
        let mount = MountInfo::from_line(line).unwrap();
        assert_eq!(device_number(&mount, |_| None).as_deref(), Some("98:0"));
        let facts = FileSystemFacts::new(Path::new("/mnt/two/x"), mount, None, 7);
        assert_eq!(facts.options, ["errors=continue", "noatime", "rw"]);
        assert_eq!(facts.kind, "ext4");
        assert_eq!(facts.mount_point, Path::new("/mnt/two"));
        assert_eq!(facts.source.as_deref(), Some("/dev/root"));
    }

    #[test]
    fn the_device_of_btrfs_is_the_file_that_is_mounted() {
        let mount = |source: &str| {
            let line = format!("40 35 0:45 / /b rw - btrfs {source} rw,space_cache=v2");
            MountInfo::from_line(&line).unwrap()
        };
        let loop0 = |source: &str| (source == "/dev/loop0").then_some(0x700);
        assert_eq!(device_number(&mount("/dev/loop0"), loop0).as_deref(), Some("7:0"));
        assert_eq!(device_number(&mount("tmpfs"), |_| Some(1)), None);
        assert_eq!(device_number(&mount("/not/a/device"), |_| Some(0)), None);
    }

    #[test]
    fn the_layer_that_takes_writes_is_known() {
        let layer = |options: &str| {
            let line = format!("123 101 0:40 / / rw,nodev - overlay overlay rw,lowerdir=/l,{options}");
            let mount = MountInfo::from_line(&line).unwrap();
            FileSystemFacts::new(Path::new("/var"), mount, None, 0).upper_layer()
        };
        assert_eq!(
            layer("upperdir=/x/diff,workdir=/x/work"),
            Some(PathBuf::from("/x/diff"))
        );
        assert_eq!(layer("upperdir=diff,workdir=work"), None);
        assert_eq!(layer("index=off"), None);
    }

    #[test]
    fn no_link_leads_out_of_the_root_of_a_process() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("proc")).unwrap();
        symlink("/proc", root.path().join("link")).unwrap();
        symlink("../../../../../../proc", root.path().join("up")).unwrap();
        let kind = |path: &str| {
            let opened = open_within(open_path(root.path()).unwrap(), Path::new(path)).unwrap();
            let facts = FileSystemFacts::reached_by(&opened, Path::new(path), &[&this_thread().unwrap()]);
            facts.unwrap().kind
        };
        for path in ["/link", "/up", "/../../../../../proc"] {
            assert_ne!(kind(path), "proc", "{path}");
        }
    }

    #[test]
    fn the_file_system_of_this_directory_is_known() {
        let facts = FileSystemFacts::of(Path::new("/proc")).unwrap();
        assert_eq!((facts.kind.as_str(), &facts.device), ("proc", &None));
        let error = FileSystemFacts::of(Path::new("/no/such/directory")).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("cannot find the file system of /no/such/directory")
        );
    }
}
