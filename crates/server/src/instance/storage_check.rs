//! Check of a server's storage, without a server.

use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::install::home::Home;
use crate::install::os_user::ServerUser;
use crate::instance::error::StartError;
use crate::instance::instance_dir::{self, InstanceDir};
use crate::instance::stale::sweep_stale;
use crate::process::error_log::ServerLog;
use crate::settings::variable::with_defaults;
use crate::storage::fs_image::{ImageConfig, ImageError, check_images};
use crate::storage::mount_namespace::enter_mount_namespace;
use crate::storage::placement::{Placement, PlacementError};
use logtrace_common::{FileClass, Flavor, Variable};

/// Error of a server's storage.
#[derive(Debug, Error)]
pub enum StorageError {
    /// The file system cannot be made or mounted.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// A class of files cannot be placed at its location.
    #[error("{class} cannot be stored as chosen")]
    Placement {
        /// Class of the files.
        class: FileClass,
        /// Reason.
        source: PlacementError,
    },
    /// No server can start here.
    #[error(transparent)]
    Start(#[from] StartError),
}

/// Storage of a server.
#[derive(Clone, Copy, Debug)]
pub struct StorageWanted<'a> {
    /// Flavor of the server.
    pub flavor: Flavor,
    /// Settings of the server.
    pub settings: &'a [Variable],
    /// File system that is made for the server.
    pub image: Option<&'a ImageConfig>,
    /// Classes of the server's files that are placed elsewhere.
    pub placements: &'a [Placement],
}

/// Makes the server's file system, mounts it and removes it again: only its tools know which options exist. Checks the
/// placements. The output of the tools is appended to the file `log`.
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
    enter_mount_namespace().map_err(StartError::from)?;
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
