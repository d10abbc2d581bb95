//! Locations of a class of files.

use std::fmt;
use std::path::PathBuf;

use crate::storage::fs_image::ImageConfig;
use crate::storage::fs_image::size::ImageSize;

/// Location of a class of a private server's files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileLocation {
    /// New directory in this existing one.
    Directory(PathBuf),
    /// File system that is made for the class.
    Volume(ImageConfig),
    /// tmpfs of at most this size that is made for the class.
    Tmpfs(ImageSize),
    /// Nowhere: writes are discarded. Only for the slow and the general log.
    Nothing,
}

impl fmt::Display for FileLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Directory(path) => write!(f, "{}", path.display()),
            Self::Volume(image) => write!(f, "{}:{}", image.kind, image.size),
            Self::Tmpfs(size) => write!(f, "tmpfs:{size}"),
            Self::Nothing => f.write_str("nothing"),
        }
    }
}
