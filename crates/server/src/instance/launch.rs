//! Start of a server, from a data directory to the first answer.

use std::fs::DirEntry;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::error::{ServerError, SettingError};
use crate::facts::placed::Placed;
use crate::facts::server::ServerFacts;
use crate::install::os_user::ServerUser;
use crate::instance::command_line;
use crate::instance::config::InstanceConfig;
use crate::instance::copy_tree::{Route, copy_tree};
use crate::instance::instance_dir::InstanceDir;
use crate::instance::startup_failure::{ended, failed};
use crate::process::child::{Launch, ServerProcess};
use crate::process::error_log::{ServerLog, disk_is_full};
use crate::settings::variable::{replace, verify, with_defaults};
use crate::storage::placement::{self, class_of_initial};
use logtrace_common::{ConnectError, Connection, Endpoint, Tls};
use logtrace_common::{Flavor, Variable};

/// Interval between two attempts to connect to a starting server.
const READY_POLL: Duration = Duration::from_millis(20);

/// Server that answers, with its settings verified.
#[derive(Debug)]
pub(crate) struct Started {
    // Dropped in this order: no server writes to a directory that goes.
    pub(crate) process: ServerProcess,
    pub(crate) dir: InstanceDir,
    pub(crate) connection: Connection,
    pub(crate) facts: ServerFacts,
    /// All settings of the server: defaults, chosen ones, and those that place its files.
    pub(crate) settings: Vec<Variable>,
}

/// Inputs of a start besides the directory.
#[derive(Debug)]
pub(crate) struct Setup<'a> {
    pub(crate) config: &'a InstanceConfig,
    pub(crate) user: &'a ServerUser,
    pub(crate) log: &'a ServerLog,
    /// Directory of instances.
    pub(crate) base: &'a Path,
}

impl Setup<'_> {
    /// Makes a new directory with a copy of the data in `from`.
    pub(crate) async fn make(&self, from: PathBuf) -> Result<InstanceDir, ServerError> {
        let dir = self.directory().await?;
        copy_data(from, dir, self.user.clone())
            .await
            .map_err(|error| error.in_base(self.base))
    }

    async fn directory(&self) -> Result<InstanceDir, ServerError> {
        let mut dir = InstanceDir::create(self.base, self.user)?;
        if let Some(image) = &self.config.image {
            dir.mount(image, self.user, self.log).await?;
        }
        let InstanceConfig {
            placements, binary, ..
        } = self.config;
        dir.create_dirs(placements, binary.flavor, self.user, self.log)
            .await?;
        Ok(dir)
    }

    /// Starts a server on the files in `dir`, and waits until it answers.
    pub(crate) async fn start(&self, dir: InstanceDir) -> Result<Started, ServerError> {
        let settings = settings_with(self.config.binary.flavor, &self.config.settings, dir.placed())?;
        let process = self.spawn(&settings, &dir)?;
        let starting = Starting {
            setup: self,
            settings,
            process,
            dir,
        };
        starting.finish().await
    }

    fn spawn(&self, settings: &[Variable], dir: &InstanceDir) -> Result<ServerProcess, ServerError> {
        let InstanceConfig { binary, port, .. } = self.config;
        let launch = Launch {
            program: &binary.path,
            arguments: &command_line::start(binary, &dir.paths(), *port, settings),
            user: self.user,
            directory: dir.path(),
            log: self.log,
        };
        Ok(ServerProcess::spawn(&launch)?)
    }
}

/// Server that was started and does not answer yet.
struct Starting<'a> {
    setup: &'a Setup<'a>,
    settings: Vec<Variable>,
    process: ServerProcess,
    dir: InstanceDir,
}

impl Starting<'_> {
    async fn finish(self) -> Result<Started, ServerError> {
        let connection = Connection {
            endpoint: Endpoint::Socket(self.dir.paths().socket),
            user: "root".to_owned(),
            password: None,
            database: None,
            tls: Tls::Disabled,
        };
        self.ready(&connection).await?;
        let facts = ServerFacts::collect(&connection, self.process.pid(), true).await?;
        verify(&self.settings, &facts.variables, facts.flavor)?;
        Ok(Started {
            settings: self.settings,
            process: self.process,
            dir: self.dir,
            connection,
            facts,
        })
    }

    /// Waits until the server answers or ends, or until its time is over.
    async fn ready(&self, connection: &Connection) -> Result<(), ServerError> {
        let Setup {
            config, log, base, ..
        } = self.setup;
        let binary = &config.binary;
        tokio::select! {
            biased;
            exit = self.process.watch().ended() => {
                Err(ended(binary, "starting", exit, log, base))
            }
            answer = self.answers(connection) => answer,
            () = tokio::time::sleep(config.ready_within) => {
                Err(failed(binary, &format!("did not answer within {} s", config.ready_within.as_secs()), log))
            }
        }
    }

    async fn answers(&self, connection: &Connection) -> Result<(), ServerError> {
        loop {
            match connection.check().await {
                Ok(()) => return Ok(()),
                Err(error @ ConnectError::AccessDenied { .. }) => return Err(error.into()),
                // A server without disk space waits for some, for ever.
                Err(_) if disk_is_full(&self.setup.log.text()) => {
                    return Err(ServerError::DiskFull(self.setup.base.to_owned()));
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
    placed: &[Placed],
) -> Result<Vec<Variable>, SettingError> {
    let mut settings = with_defaults(flavor, chosen)?;
    for placed in placed {
        replace(&mut settings, placement::settings(placed, flavor));
    }
    Ok(settings)
}

/// Copies the data on another thread, which owns the directory: if the caller stops waiting, the directory is removed
/// when the copy ends.
async fn copy_data(data: PathBuf, dir: InstanceDir, user: ServerUser) -> Result<InstanceDir, ServerError> {
    let (from, to) = (data.clone(), dir.paths().data);
    let copying = tokio::task::spawn_blocking(move || {
        let route = |entry: &DirEntry| {
            let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let class = class_of_initial(&entry.file_name().to_string_lossy(), is_directory);
            let elsewhere = class.and_then(|class| dir.placed_for(class));
            elsewhere.map_or(Route::Copy, Route::To)
        };
        copy_tree(&data, &dir.paths().data, &user, &route)?;
        Ok(dir)
    });
    copying
        .await
        .unwrap_or_else(|ended| Err(ServerError::copy(&from, &to, ended.into())))
}
