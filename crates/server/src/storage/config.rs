//! Configuration of a private server's storage.

use std::path::{Path, PathBuf};

use logtrace_common::{Flavor, Variable};

use crate::error::ServerError;
use crate::install::os_user::ServerUser;
use crate::storage::Placement;
use crate::storage::file_location::FileLocation;
use crate::storage::fs_image::{ImageConfig, check_images};

/// Location of a private server's files. The default is the usual directory.
#[derive(Clone, Debug, Default)]
pub struct Storage {
    /// File system that is made for the server.
    pub image: Option<ImageConfig>,
    /// Classes of files that are placed elsewhere.
    pub placements: Vec<Placement>,
    /// Other directories that settings may name. Tests have tables and logs there; no option of the program sets it.
    pub directories: Vec<PathBuf>,
}

impl Storage {
    /// Checks that the server's files can be at their locations, before anything is made. Images are made in `base`.
    pub(crate) fn check(
        &self,
        base: &Path,
        flavor: Flavor,
        settings: &[Variable],
        user: &ServerUser,
    ) -> Result<(), ServerError> {
        let mut images: Vec<_> = self.image.iter().collect();
        for placement in &self.placements {
            placement.check(flavor, settings, user)?;
            if let FileLocation::Volume(image) = &placement.place {
                images.push(image);
            }
        }
        check_images(&images, base)
    }

    /// Returns whether file systems are mounted for the server.
    pub(crate) fn needs_mounts(&self) -> bool {
        let is_mounted = |placement: &Placement| {
            matches!(placement.place, FileLocation::Volume(_) | FileLocation::Tmpfs(_))
        };
        self.image.is_some() || self.placements.iter().any(is_mounted)
    }
}
