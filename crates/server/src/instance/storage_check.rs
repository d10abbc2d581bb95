//! Whether a server could have its files where they shall be, found out without a server.

use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::install::home::Home;
use crate::install::os_user::ServerUser;
use crate::instance::error::StartError;
use crate::instance::instance_dir::{self, InstanceDir, sweep_stale};
use crate::process::error_log::ServerLog;
use crate::settings::variable::{Setting, with_defaults};
use crate::storage::fs_image::{ImageConfig, ImageError, check_images};
use crate::storage::placement::{Placement, PlacementError};
use logtrace_common::{FileClass, Flavor};

/// Why a server cannot have its files there.
#[derive(Debug, Error)]
pub enum StorageError {
    /// Its file system cannot be made or mounted.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// A class of files cannot be where it is placed.
    #[error("{source}")]
    Placement {
        /// The class.
        class: FileClass,
        /// Why.
        source: PlacementError,
    },
    /// No server can be started here.
    #[error(transparent)]
    Start(#[from] StartError),
}

/// Where a server's files shall be.
#[derive(Clone, Copy, Debug)]
pub struct StorageWanted<'a> {
    /// The server.
    pub flavor: Flavor,
    /// Its settings.
    pub settings: &'a [Setting],
    /// A file system of its own.
    pub image: Option<&'a ImageConfig>,
    /// Classes of its files that are elsewhere.
    pub placements: &'a [Placement],
}

/// Makes the file system as a server would have it, mounts it, and takes it away again: which options of its program and
/// of the mount there are, they alone know. Placements are looked at. What the program says goes to the file `log`.
pub async fn check_storage(wanted: &StorageWanted<'_>, home: &Home, log: &Path) -> Result<(), StorageError> {
    let user = ServerUser::choose().map_err(StartError::from)?;
    let settings = with_defaults(wanted.flavor, wanted.settings).map_err(StartError::from)?;
    for placement in wanted.placements {
        let checked = placement.check_server(wanted.flavor, &settings);
        let checked = checked.and_then(|()| placement.check_directory(&user));
        checked.map_err(|source| StorageError::Placement {
            class: placement.class,
            source,
        })?;
    }
    match wanted.image {
        Some(image) => try_image(image, &user, home, log).await,
        None => Ok(()),
    }
}

async fn try_image(
    image: &ImageConfig,
    user: &ServerUser,
    home: &Home,
    log: &Path,
) -> Result<(), StorageError> {
    let base: PathBuf = instance_dir::create_open(&home.instances, user)?;
    // What killed runs left may take the room.
    sweep_stale(&base).map_err(StartError::directory("look through", &base))?;
    check_images(&[image], &base)?;
    let log = ServerLog::open(log).map_err(StartError::directory("open", log))?;
    let mut dir = InstanceDir::create(&base, user)?;
    dir.mount(image, user, &log).await?;
    let path = dir.path().to_owned();
    Ok(dir.remove().map_err(StartError::directory("remove", &path))?)
}
