//! Mounts with options, and with the kernel's messages if it refuses.
//!
//! `mount(2)` reports a wrong option only as a number. `fsopen` and `fsconfig` leave a message in the context, so that
//! logtrace needs no list of options.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, OFlags};
use rustix::io::Errno;
use rustix::mount::{
    FsMountFlags, FsOpenFlags, MountAttrFlags, MoveMountFlags, UnmountFlags, fsconfig_create,
    fsconfig_set_flag, fsconfig_set_string, fsmount, fsopen, move_mount, unmount,
};

use crate::error::ServerError;

/// Mounted file system; unmounted when dropped.
#[derive(Debug)]
pub(crate) struct Mounted {
    mount_point: PathBuf,
    mounted: bool,
}

/// Mounts a file system of this kind, with its device if it has one. `options` are single options of mount(8).
pub(crate) fn mount(
    kind: &str,
    device: Option<&Path>,
    mount_point: &Path,
    options: &[String],
) -> Result<Mounted, ServerError> {
    let kernel_log = KernelLog::from_now();
    let context = fsopen(kind, FsOpenFlags::FSOPEN_CLOEXEC)
        .map_err(|error| refused(kind, options, Vec::new(), error))?;
    make(&context, device, mount_point, options).map_err(|error| {
        let messages = match messages(&context) {
            messages if messages.is_empty() => kernel_log.lines(),
            messages => messages,
        };
        refused(kind, options, messages, error)
    })?;
    Ok(Mounted {
        mount_point: mount_point.to_owned(),
        mounted: true,
    })
}

/// Returns the error of a mount, with the kernel's messages, the only explanation of an option that it refuses.
fn refused(kind: &str, options: &[String], messages: Vec<String>, error: Errno) -> ServerError {
    let mut message = format!("cannot mount {kind}");
    if !options.is_empty() {
        message += &format!(" with {}", options.join(","));
    }
    for line in messages {
        message += &format!("\n  the kernel: {line}");
    }
    ServerError::Mount {
        message,
        source: error.into(),
    }
}

fn make(
    context: &OwnedFd,
    device: Option<&Path>,
    mount_point: &Path,
    options: &[String],
) -> Result<(), Errno> {
    if let Some(device) = device {
        fsconfig_set_string(context.as_fd(), "source", device)?;
    }
    let mut attributes = MountAttrFlags::MOUNT_ATTR_NODEV | MountAttrFlags::MOUNT_ATTR_NOSUID;
    for option in options {
        match (attribute(option), option.split_once('=')) {
            (Some(attribute), _) => attributes |= attribute,
            (None, Some((name, value))) => fsconfig_set_string(context.as_fd(), name, value)?,
            (None, None) => fsconfig_set_flag(context.as_fd(), option.as_str())?,
        }
    }
    fsconfig_create(context.as_fd())?;
    let mount = fsmount(context.as_fd(), FsMountFlags::FSMOUNT_CLOEXEC, attributes)?;
    let whole = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH;
    move_mount(mount.as_fd(), "", CWD, mount_point, whole)
}

/// Returns the mount attribute of an option. Other options belong to the file system.
fn attribute(option: &str) -> Option<MountAttrFlags> {
    match option {
        "noatime" => Some(MountAttrFlags::MOUNT_ATTR_NOATIME),
        "nodiratime" => Some(MountAttrFlags::MOUNT_ATTR_NODIRATIME),
        "relatime" => Some(MountAttrFlags::MOUNT_ATTR_RELATIME),
        "strictatime" => Some(MountAttrFlags::MOUNT_ATTR_STRICTATIME),
        _ => None,
    }
}

/// Reads the kernel's messages from the context, one with each read. They start with `e `, `w ` or `i `.
fn messages(context: &OwnedFd) -> Vec<String> {
    let mut messages = Vec::new();
    let mut buffer = [0; 1024];
    while let Ok(length) = rustix::io::read(context, &mut buffer) {
        let text = String::from_utf8_lossy(&buffer[..length]).into_owned();
        let text = text.trim();
        let without = ["e ", "w ", "i "].iter().find_map(|kind| text.strip_prefix(kind));
        messages.push(without.unwrap_or(text).to_owned());
    }
    messages
}

/// Kernel log from one moment on. Some file systems write messages only there.
struct KernelLog(Option<File>);

impl KernelLog {
    fn from_now() -> Self {
        let mut options = OpenOptions::new();
        let nonblocking = OFlags::NONBLOCK.bits().cast_signed();
        let opened = options.read(true).custom_flags(nonblocking).open("/dev/kmsg");
        let at_end = opened.and_then(|mut file| file.seek(SeekFrom::End(0)).map(|_| file));
        Self(at_end.ok())
    }

    /// Returns the lines since that moment. A record is `PRIORITY,NUMBER,TIME,FLAGS;TEXT`
    /// (Documentation/ABI/testing/dev-kmsg).
    fn lines(mut self) -> Vec<String> {
        let mut lines = Vec::new();
        let mut buffer = vec![0; 8192];
        while let Some(Ok(length)) = self.0.as_mut().map(|file| file.read(&mut buffer)) {
            let record = String::from_utf8_lossy(&buffer[..length]);
            let text = record.split_once(';').map_or("", |(_, text)| text);
            lines.extend(text.lines().next().map(str::to_owned));
        }
        lines
    }
}

impl Mounted {
    pub(crate) fn path(&self) -> &Path {
        &self.mount_point
    }

    /// Unmounts the file system and returns an error if that fails.
    pub(crate) fn unmount(mut self) -> io::Result<()> {
        self.mounted = false;
        Ok(take_off(&self.mount_point)?)
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        if self.mounted {
            // What stays mounted goes with this process.
            let _ = take_off(&self.mount_point);
        }
    }
}

/// Unmounts the file system. If a file in it is still open, detaches it, and the kernel unmounts it later.
fn take_off(mount_point: &Path) -> Result<(), Errno> {
    match unmount(mount_point, UnmountFlags::empty()) {
        Err(Errno::BUSY) => unmount(mount_point, UnmountFlags::DETACH),
        ended => ended,
    }
}
