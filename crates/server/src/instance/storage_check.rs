//! Check of a server's storage, without a server.

use std::path::Path;

use crate::error::ServerError;
use crate::install::home::Home;
use crate::install::os_user::ServerUser;
use crate::instance::instance_dir::InstanceDir;
use crate::instance::stale::sweep_stale;
use crate::process::error_log::ServerLog;
use crate::settings::with_defaults;
use crate::storage::config::Storage;
use crate::storage::fs_image::{ImageConfig, check_images};
use crate::storage::mount_namespace::enter_mount_namespace;
use crate::storage::path_values::check_path_values;
use logtrace_common::{Flavor, Variable};

/// Makes the server's file system, mounts it and removes it again: only its tools know which options exist. Checks the
/// placements. The output of the tools is appended to the file `log`.
pub async fn check_storage(
    storage: &Storage,
    flavor: Flavor,
    settings: &[Variable],
    home: &Home,
    log: &Path,
) -> Result<(), ServerError> {
    let user = ServerUser::choose(home.user.as_deref())?;
    check_path_values(settings, storage)?;
    let settings = with_defaults(flavor, settings)?;
    for placement in &storage.placements {
        let checked = placement.check(flavor, &settings, &user);
        checked.map_err(|source| ServerError::Placement {
            class: placement.class,
            source,
        })?;
    }
    match &storage.image {
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
    let base = user.create_directory(&home.instances)?;
    // What killed runs left may take the room.
    sweep_stale(&base).map_err(ServerError::directory("look through", &base))?;
    check_images(&[image], &base)?;
    let log = ServerLog::open(log)?;
    let mut dir = InstanceDir::create(&base, user)?;
    dir.mount(image, user, &log).await?;
    let path = dir.path().to_owned();
    dir.remove().map_err(ServerError::directory("remove", &path))
}
