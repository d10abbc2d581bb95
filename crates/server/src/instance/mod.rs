//! Private server: started for a measurement and removed after it.

pub(crate) mod buffer_pool;
pub(crate) mod command_line;
pub(crate) mod config;
pub(crate) mod copy_tree;
pub(crate) mod instance_dir;
pub(crate) mod launch;
pub(crate) mod placed_files;
pub(crate) mod snapshot;
pub(crate) mod stale;
pub(crate) mod startup_failure;
pub(crate) mod storage_check;
pub(crate) mod template;

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, anyhow};

use crate::error::{NEEDED_MIB, ServerError, SettingError};
use crate::facts::placed::Placed;
use crate::facts::server::ServerFacts;
use crate::install::os_user::ServerUser;
use crate::instance::buffer_pool::pool_is_loaded;
use crate::instance::config::InstanceConfig;
use crate::instance::launch::{Setup, Started, settings_with};
use crate::instance::snapshot::DataSnapshot;
use crate::instance::stale::sweep_stale;
use crate::instance::template::TemplateSource;
use crate::process::error_log::{ServerLog, error_lines};
use crate::process::pidfd::Exit;
use crate::settings::live::{SettingsChange, is_live};
use crate::settings::set_global::{reset_to_default, set_verified};
use crate::settings::variable::with_defaults;
use crate::storage::mount_namespace::enter_mount_namespace;
use logtrace_common::FileClass;
use logtrace_common::{Connection, Variable};

/// Longest time for a server to stop before it is killed.
const STOP_PATIENCE: Duration = Duration::from_secs(20);

/// Longest time to stop if the data is needed: the server first writes a large buffer pool.
const STOP_PATIENCE_FOR_DATA: Duration = Duration::from_secs(300);

/// Message if a server cannot be stopped.
const CANNOT_STOP: &str = "cannot stop the server";

/// Private server that answers on its socket, with its settings verified.
///
/// Dropping it kills the server, waits for its end, and removes its directory. If logtrace itself is killed, the kernel
/// kills the server, and the next start removes the directory.
#[derive(Debug)]
pub struct Instance {
    started: Started,
    config: InstanceConfig,
}

impl Instance {
    /// Starts a server and waits until it answers. If the future is dropped, nothing is left behind.
    ///
    /// The server dies with the thread that polls this: call it from the main thread, or from one that lives as long as
    /// the measurement.
    pub async fn start(
        config: &InstanceConfig,
        progress: &(dyn Fn(&str) + Sync),
    ) -> Result<Self, ServerError> {
        Self::start_with(config, None, progress).await
    }

    /// Does the same as [`Instance::start`] with a copy of the snapshot, if there is one. The buffer pool then has the
    /// pages that it had at the snapshot, if they fit.
    pub async fn start_with(
        config: &InstanceConfig,
        snapshot: Option<&DataSnapshot>,
        progress: &(dyn Fn(&str) + Sync),
    ) -> Result<Self, ServerError> {
        if config.needs_mounts() {
            // First: threads that copy data must be in the namespace.
            enter_mount_namespace()?;
        }
        let settings = with_defaults(config.binary.flavor, &config.settings)?;
        let user = ServerUser::choose()?;
        let base = instance_dir::create_open(&config.base, &user)?;
        sweep(&base, progress)?;
        config.check_storage(&base, &settings, &user)?;
        let log = ServerLog::open(&config.log).map_err(ServerError::directory("open", &config.log))?;
        let source = TemplateSource {
            binary: &config.binary,
            settings: &settings,
            user: &user,
            log: &log,
            templates: &config.templates,
        };
        let data = match snapshot {
            Some(snapshot) => snapshot.data_for(&config.binary, &settings)?,
            None => source.prepare(progress).await?,
        };
        let setup = Setup {
            config,
            user: &user,
            log: &log,
            base: &base,
        };
        let started = async { setup.start(setup.make(data).await?).await };
        let started = started.await.map_err(|error| match (&config.image, error) {
            (Some(image), ServerError::DiskFull(path)) if path == base => anyhow!(
                "the server's file system of {} is full: a private server needs {NEEDED_MIB} MiB there, and space for \
                 its tables and logs. Choose a larger --fs-size",
                image.size
            )
            .into(),
            (_, error) => error,
        })?;
        if snapshot.is_some() {
            pool_is_loaded(&started.connection).await?;
        }
        let config = config.clone();
        Ok(Self { started, config })
    }

    /// Shuts the server down and returns a snapshot of its data, to start other servers with.
    pub async fn stop_and_snapshot(self) -> Result<DataSnapshot, ServerError> {
        let Self { started, config } = self;
        let user = ServerUser::choose()?;
        remember_pool(&started).await;
        let log = ServerLog::open(&config.log).context(CANNOT_STOP)?;
        let Started {
            process, dir, facts, ..
        } = started;
        let exit = process.stop(STOP_PATIENCE_FOR_DATA).await.context(CANNOT_STOP)?;
        if exit != Exit::Code(0) {
            let lines = error_lines(&log.text()).join("\n  ");
            return Err(anyhow!(
                "the server ended with {exit} instead of a clean shutdown, so its data cannot be used:\n  {lines}"
            )
            .into());
        }
        let base = instance_dir::create_open(&config.base, &user)?;
        let server = (&config.binary, &config.settings[..]);
        let (snapshot, dir) = DataSnapshot::copy(base, dir, user, facts.log_names(), server).await?;
        dir.remove()
            .context("cannot remove the directory of the server")?;
        Ok(snapshot)
    }

    /// Returns the facts of the server.
    pub fn facts(&self) -> &ServerFacts {
        &self.started.facts
    }

    /// Returns the address and account of the server.
    pub fn connection(&self) -> &Connection {
        &self.started.connection
    }

    /// Returns the process number of the server.
    pub fn pid(&self) -> u32 {
        self.started.process.pid()
    }

    /// Returns the directory of the instance. `data` and `tmp` are in it, or in its `fs` if the server has a file
    /// system of its own.
    pub fn directory(&self) -> &Path {
        self.started.dir.path()
    }

    /// Returns the data directory.
    pub fn data_directory(&self) -> PathBuf {
        self.started.dir.paths().data
    }

    /// Returns the classes of files that are placed elsewhere.
    pub fn placed(&self) -> &[Placed] {
        self.started.dir.placed()
    }

    /// Returns the discarded bytes of each class at [`FileLocation::Nothing`](crate::FileLocation::Nothing). MariaDB
    /// writes to `/dev/null`, where bytes are not counted.
    pub fn discarded(&self) -> Vec<(FileClass, u64)> {
        self.started.dir.discarded()
    }

    /// Returns the path of the socket.
    pub fn socket(&self) -> PathBuf {
        self.started.dir.paths().socket
    }

    /// Returns whether the server runs.
    pub fn is_running(&self) -> bool {
        self.started.process.watch().exit().is_none()
    }

    /// Waits until the server has ended for any reason.
    pub async fn died(&self) -> Exit {
        self.started.process.watch().ended().await
    }

    /// Gives the server these settings in place of its own; the durable defaults hold for variables that they do not name.
    ///
    /// If only variables change that take effect at once ([`is_live`]), they are set while the server runs, and
    /// a variable that is no longer set gets its built-in default. Otherwise the server is restarted on the same files.
    /// All values are verified. On an error the server is stopped.
    pub async fn reconfigure(mut self, settings: &[Variable]) -> Result<Self, ServerError> {
        let flavor = self.started.facts.flavor;
        let wanted = settings_with(flavor, settings, self.started.dir.placed())?;
        let change = SettingsChange::between(&self.started.settings, &wanted);
        if !change.is_live(flavor) {
            return self.restart(settings).await;
        }
        reset_to_default(self.connection(), &change.reset).await?;
        self.set_live(&change.set).await?;
        self.started.settings = wanted;
        self.config.settings = settings.to_vec();
        Ok(self)
    }

    /// Shuts the server down and starts it again on the same files with these settings.
    async fn restart(self, settings: &[Variable]) -> Result<Self, ServerError> {
        let Self { started, mut config } = self;
        config.settings = settings.to_vec();
        let user = ServerUser::choose()?;
        let base = instance_dir::create_open(&config.base, &user)?;
        let log = ServerLog::open(&config.log).map_err(ServerError::directory("open", &config.log))?;
        let Started { process, dir, .. } = started;
        let stopped = process.stop(STOP_PATIENCE_FOR_DATA).await;
        stopped.map_err(ServerError::directory("stop the server of", dir.path()))?;
        let setup = Setup {
            config: &config,
            user: &user,
            log: &log,
            base: &base,
        };
        let started = setup.start(dir).await?;
        pool_is_loaded(&started.connection).await?;
        Ok(Self { started, config })
    }

    /// Sets variables that take effect at once, and verifies them. Connections that are open keep their session values.
    pub async fn set_live(&mut self, settings: &[Variable]) -> Result<(), ServerError> {
        let flavor = self.started.facts.flavor;
        if let Some(other) = settings.iter().find(|setting| !is_live(flavor, setting.name())) {
            return Err(SettingError::ReadOnly(other.name().to_owned()).into());
        }
        self.started.facts.variables = set_verified(&self.started.connection, flavor, settings).await?;
        Ok(())
    }

    /// Shuts the server down, kills it if that takes longer than 20 s, and removes its directory.
    pub async fn stop(self) -> io::Result<Exit> {
        let exit = self.started.process.stop(STOP_PATIENCE).await?;
        self.started.dir.remove()?;
        Ok(exit)
    }
}

/// Makes the server note all pages of its buffer pool when it stops, instead of a quarter of them. If that fails, the
/// next server starts with fewer pages.
async fn remember_pool(started: &Started) {
    let all = Variable::new("innodb_buffer_pool_dump_pct", "100");
    let _ = set_verified(&started.connection, started.facts.flavor, &[all]).await;
}

fn sweep(base: &Path, progress: &(dyn Fn(&str) + Sync)) -> Result<(), ServerError> {
    let swept = sweep_stale(base).map_err(ServerError::directory("look through", base))?;
    for path in swept.removed {
        progress(&format!("removed {}, left by a killed run", path.display()));
    }
    for disk in swept.queues {
        progress(&format!("put back the queue of {disk}, set by a killed run"));
    }
    for (disk, error) in swept.queues_failed {
        progress(&format!(
            "cannot put back the queue of {disk}, set by a killed run: {error}"
        ));
    }
    for (path, error) in swept.failed {
        progress(&format!(
            "cannot remove {}, left by a killed run: {error}",
            path.display()
        ));
    }
    Ok(())
}
