//! Where a class of a private server's files can be.

use std::fmt;
use std::path::PathBuf;

use crate::storage::fs_image::ImageConfig;
use crate::storage::fs_image::size::ImageSize;
use crate::storage::mount_namespace::PrivateMounts;

/// Where a class of files is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// In a directory of its own in this one, which exists.
    Directory(PathBuf),
    /// On a file system of its own.
    Volume(ImageConfig),
    /// In memory, on a tmpfs of its own.
    Tmpfs(TmpfsConfig),
    /// Nowhere: what is written is thrown away. For the slow and the general log alone.
    Nothing,
}

/// A file system in memory to make for one class of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TmpfsConfig {
    /// How large it may get.
    pub size: ImageSize,
    /// Where it is mounted, others do not see it.
    pub mounts: PrivateMounts,
}

impl TmpfsConfig {
    /// Options of its mount.
    pub(crate) fn options(&self) -> Vec<String> {
        vec![format!("size={}", self.size.bytes()), "mode=0700".to_owned()]
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Directory(path) => write!(f, "{}", path.display()),
            Self::Volume(image) => write!(f, "{}:{}", image.kind, image.size),
            Self::Tmpfs(tmpfs) => write!(f, "tmpfs:{}", tmpfs.size),
            Self::Nothing => f.write_str("nothing"),
        }
    }
}
