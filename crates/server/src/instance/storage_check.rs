//! Check of a server's storage, without a server.

use std::path::{Path, PathBuf};

use crate::error::ServerError;
use crate::install::home::Home;
use crate::install::os_user::ServerUser;
use crate::instance::instance_dir::{self, InstanceDir};
use crate::instance::stale::sweep_stale;
use crate::process::error_log::ServerLog;
use crate::settings::variable::with_defaults;
use crate::storage::fs_image::{ImageConfig, check_images};
use crate::storage::mount_namespace::enter_mount_namespace;
use crate::storage::placement::Placement;
use logtrace_common::{Flavor, Variable};

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
pub async fn check_storage(wanted: &StorageWanted<'_>, home: &Home, log: &Path) -> Result<(), ServerError> {
    let user = ServerUser::choose()?;
    let settings = with_defaults(wanted.flavor, wanted.settings)?;
    for placement in wanted.placements {
        let checked = placement.check_server(wanted.flavor, &settings);
        let checked = checked.and_then(|()| placement.check_directory(&user));
        checked.map_err(|source| ServerError::Placement {
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
) -> Result<(), ServerError> {
    enter_mount_namespace()?;
    let base: PathBuf = instance_dir::create_open(&home.instances, user)?;
    // What killed runs left may take the room.
    sweep_stale(&base).map_err(ServerError::directory("look through", &base))?;
    check_images(&[image], &base)?;
    let log = ServerLog::open(log).map_err(ServerError::directory("open", log))?;
    let mut dir = InstanceDir::create(&base, user)?;
    dir.mount(image, user, &log).await?;
    let path = dir.path().to_owned();
    dir.remove().map_err(ServerError::directory("remove", &path))
}
