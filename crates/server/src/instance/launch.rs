//! Start of a server, from a data directory to the first answer.

use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

use crate::error::{ServerError, SettingError};
use crate::facts::placed::PlacedClass;
use crate::install::os_user::ServerUser;
use crate::instance::command_line;
use crate::instance::config::{InstanceConfig, InstanceSetup};
use crate::instance::copy_tree::copy_contents;
use crate::instance::instance_dir::InstanceDir;
use crate::instance::startup_failure::{ended, failed};
use crate::process::error_log::disk_is_full;
use crate::process::{Launch, ServerProcess};
use crate::settings::{replace, with_defaults};
use crate::storage::directory::Directory;
use crate::storage::{self, INITIALISED, class_of_initial};
use logtrace_common::{ConnectError, Connection};
use logtrace_common::{Flavor, Variable};

/// Interval between two attempts to connect to a starting server.
const READY_POLL: Duration = Duration::from_millis(20);

/// Longest time until a server answers.
const READY_WITHIN: Duration = Duration::from_secs(60);

impl InstanceSetup {
    /// Makes a new directory with a copy of the data in `from`.
    pub(crate) async fn make_dir(&self, from: Directory) -> Result<InstanceDir, ServerError> {
        let mut dir = InstanceDir::create(&self.base, &self.user)?;
        dir.create_dirs(self).await?;
        copy_data(from, dir, self.user.clone())
            .await
            .map_err(|error| error.in_base(&self.base))
    }

    /// Starts a server on the files in `dir`.
    pub(crate) fn spawn(&self, settings: &[Variable], dir: &InstanceDir) -> anyhow::Result<ServerProcess> {
        let InstanceConfig { binary, listen, .. } = &self.config;
        ServerProcess::spawn(&Launch {
            program: &binary.path,
            arguments: &command_line::start(binary, &dir.paths(), *listen, settings),
            run_as: self.user.run_as(),
            directory: dir.path(),
            group: dir.group.clone(),
            cpus: self.config.cpus.as_ref(),
            log: &self.log,
        })
    }

    /// Waits until the server answers or ends, or until its time is over.
    pub(crate) async fn ready(
        &self,
        process: &ServerProcess,
        connection: &Connection,
    ) -> Result<(), ServerError> {
        let binary = &self.config.binary;
        tokio::select! {
            biased;
            exit = process.watch.ended() => {
                Err(ended(binary, "starting", exit, &self.log, &self.base))
            }
            answer = self.answers(connection) => answer,
            () = tokio::time::sleep(READY_WITHIN) => {
                Err(failed(binary, &format!("did not answer within {} s", READY_WITHIN.as_secs()), &self.log))
            }
        }
    }

    async fn answers(&self, connection: &Connection) -> Result<(), ServerError> {
        // A build with debugging output writes megabytes while it starts.
        let mut log = self.log.follow();
        loop {
            match connection.check().await {
                Ok(()) => return Ok(()),
                Err(error @ ConnectError::AccessDenied { .. }) => return Err(error.into()),
                // A server without disk space waits for some, for ever.
                Err(_) if disk_is_full(&log.news()) => {
                    return Err(ServerError::DiskFull(self.base.to_owned()));
                }
                Err(_) => tokio::time::sleep(READY_POLL).await,
            }
        }
    }
}

/// Returns all settings of a server: the defaults, the chosen ones, and those that place its files.
pub(crate) fn settings_with(
    flavor: Flavor,
    chosen: &[Variable],
    placed: &[PlacedClass],
) -> Result<Vec<Variable>, SettingError> {
    let mut settings = with_defaults(flavor, chosen)?;
    for placed in placed {
        replace(&mut settings, storage::settings(placed, flavor));
    }
    Ok(settings)
}

/// Copies the data on another thread, which owns the directory: if the caller stops waiting, the directory is removed
/// when the copy ends.
async fn copy_data(data: Directory, dir: InstanceDir, user: ServerUser) -> Result<InstanceDir, ServerError> {
    let (from, to) = (data.path.clone(), dir.paths().data);
    let copying = tokio::task::spawn_blocking(move || {
        let fail = |source| ServerError::copy(&data.path, &dir.paths().data, source);
        user.act(|| fill(&dir, &data)).map_err(fail)??;
        Ok(dir)
    });
    copying
        .await
        .unwrap_or_else(|ended| Err(ServerError::copy(&from, &to, ended.into())))
}

/// Copies data into the data directory, and files of placed classes to their places.
fn fill(dir: &InstanceDir, data: &Directory) -> Result<(), ServerError> {
    let open =
        |path: &Path| Directory::open(path).map_err(|source| ServerError::copy(&data.path, path, source));
    let to = open(&dir.paths().data)?;
    let mut placed = Vec::new();
    for class in INITIALISED {
        if let Some(path) = dir.placed.of(class) {
            placed.push((class, open(path)?));
        }
    }
    let place = |class| placed.iter().find(|(other, _)| *other == class);
    copy_contents(data, &|name: &OsStr, is_directory| {
        let class = class_of_initial(&name.to_string_lossy(), is_directory);
        Some(class.and_then(place).map_or(&to, |(_, directory)| directory))
    })?;
    let mut written = placed.iter().map(|(_, directory)| directory).chain([&to]);
    written.try_for_each(|directory| {
        // Writes at a later time would disturb the measurement.
        let synced = directory.sync();
        synced.map_err(|source| ServerError::copy(&data.path, &directory.path, source))
    })
}
