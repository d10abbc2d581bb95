//! Private server: started for a measurement and removed after it.

pub(crate) mod buffer_pool;
pub(crate) mod command_line;
pub(crate) mod config;
pub(crate) mod copy_tree;
pub(crate) mod install_script;
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
use crate::facts::placed::PlacedClass;
use crate::facts::server::ServerFacts;
use crate::instance::buffer_pool::pool_is_loaded;
use crate::instance::config::{InstanceConfig, InstanceSetup};
use crate::instance::instance_dir::InstanceDir;
use crate::instance::launch::settings_with;
use crate::instance::snapshot::DataSnapshot;
use crate::instance::stale::sweep_stale;
use crate::process::ServerProcess;
use crate::process::error_log::{ServerLog, error_lines};
use crate::process::pidfd::ProcessEnd;
use crate::settings::live::{SettingsChange, is_live};
use crate::settings::set_global::{reset_to_default, set_verified};
use crate::settings::{fixed_at_initialisation, verify, with_defaults};
use crate::storage::mount_namespace::enter_mount_namespace;
use crate::storage::path_values::check_path_values;
use logtrace_common::process::ProcessHandle;
use logtrace_common::{Connection, Endpoint, FileClass, Tls, Variable};

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
    // Dropped in this order: no server writes to a directory that goes.
    process: ServerProcess,
    dir: InstanceDir,
    connection: Connection,
    facts: ServerFacts,
    /// All settings of the server: defaults, chosen ones, and those that place its files.
    settings: Vec<Variable>,
    setup: InstanceSetup,
}

impl Instance {
    /// Starts a server and waits until it answers. If the future is dropped, nothing is left behind.
    ///
    /// A server with a snapshot starts with a copy of it, and its buffer pool has the pages that it had at the snapshot, if
    /// they fit.
    ///
    /// The server dies with the thread that polls this: call it from the main thread, or from one that lives as long as
    /// the measurement.
    pub async fn start(
        config: &InstanceConfig,
        snapshot: Option<&DataSnapshot>,
        progress: &(dyn Fn(&str) + Sync),
    ) -> Result<Self, ServerError> {
        let InstanceConfig { binary, storage, .. } = config;
        if storage.needs_mounts() {
            // First: threads that copy data must be in the namespace.
            enter_mount_namespace()?;
        }
        let settings = with_defaults(binary.flavor, &config.settings)?;
        check_path_values(&config.settings, storage)?;
        let setup = InstanceSetup::new(config)?;
        sweep(&setup.base, progress)?;
        storage.check(&setup.base, binary.flavor, &settings, &setup.user)?;
        let fixed = fixed_at_initialisation(&settings);
        let data = match snapshot {
            Some(snapshot) => snapshot.data_for(binary, &fixed)?,
            None => template::prepare(&setup, &fixed, progress).await?,
        };
        let base = setup.base.clone();
        let started = async { Self::start_in(setup.make_dir(data).await?, setup).await };
        let started = started.await.map_err(|error| match (&storage.image, error) {
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
        Ok(started)
    }

    /// Starts a server on the files in `dir`, and waits until it answers.
    async fn start_in(dir: InstanceDir, setup: InstanceSetup) -> Result<Self, ServerError> {
        let settings = settings_with(
            setup.config.binary.flavor,
            &setup.config.settings,
            &dir.placed.all,
        )?;
        let connection = Connection {
            endpoint: Endpoint::Socket(dir.paths().socket),
            user: "root".to_owned(),
            password: None,
            database: None,
            tls: Tls::default(),
            server_uid: None,
        };
        let process = setup.spawn(&settings, &dir)?;
        setup.ready(&process, &connection).await?;
        let held = ProcessHandle::open(process.pid()).context("the server is gone")?;
        let facts = ServerFacts::collect(&connection, Some(held.into()), true).await?;
        verify(&settings, &facts.variables, facts.flavor)?;
        Ok(Self {
            process,
            dir,
            connection,
            facts,
            settings,
            setup,
        })
    }

    /// Shuts the server down and returns a snapshot of its data, to start other servers with.
    pub async fn stop_and_snapshot(self) -> Result<DataSnapshot, ServerError> {
        // Makes the server note all pages of its buffer pool when it stops, instead of a quarter of them. If that fails, the
        // next server starts with fewer pages.
        let all = Variable::new("innodb_buffer_pool_dump_pct", "100");
        let _ = set_verified(&self.connection, self.facts.flavor, &[all]).await;
        let log = ServerLog::open(&self.setup.config.log).context(CANNOT_STOP)?;
        let exit = self
            .process
            .stop(STOP_PATIENCE_FOR_DATA)
            .await
            .context(CANNOT_STOP)?;
        if exit != ProcessEnd::Code(0) {
            let lines = error_lines(&log.text()).join("\n  ");
            return Err(anyhow!(
                "the server ended with {exit} instead of a clean shutdown, so its data cannot be used:\n  {lines}"
            )
            .into());
        }
        let (snapshot, dir) = DataSnapshot::copy(&self.setup, self.dir, self.facts.log_names()).await?;
        dir.remove()
            .context("cannot remove the directory of the server")?;
        Ok(snapshot)
    }

    /// Returns the facts of the server.
    pub fn facts(&self) -> &ServerFacts {
        &self.facts
    }

    /// Returns the address and account of the server.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Returns the process number of the server.
    pub fn pid(&self) -> u32 {
        self.process.pid()
    }

    /// Returns the directory of the instance. `data` and `tmp` are in it, or in its `fs` if the server has a file
    /// system of its own.
    pub fn directory(&self) -> &Path {
        self.dir.path()
    }

    /// Returns the data directory.
    pub fn data_directory(&self) -> PathBuf {
        self.dir.paths().data
    }

    /// Returns the classes of files that are placed elsewhere.
    pub fn placed(&self) -> &[PlacedClass] {
        &self.dir.placed.all
    }

    /// Returns the discarded bytes of each class at [`FileLocation::Nothing`](crate::FileLocation::Nothing). MariaDB
    /// writes to `/dev/null`, where bytes are not counted.
    pub fn discarded(&self) -> Vec<(FileClass, u64)> {
        self.dir.placed.discarded()
    }

    /// Returns the path of the socket.
    pub fn socket(&self) -> PathBuf {
        self.dir.paths().socket
    }

    /// Returns whether the server runs.
    pub fn is_running(&self) -> bool {
        self.process.watch.exit().is_none()
    }

    /// Waits until the server has ended for any reason.
    pub async fn died(&self) -> ProcessEnd {
        self.process.watch.ended().await
    }

    /// Gives the server these settings in place of its own; the durable defaults hold for variables that they do not name.
    ///
    /// If only variables change that take effect at once ([`is_live`]), they are set while the server runs, and
    /// a variable that is no longer set gets its built-in default. Otherwise the server is restarted on the same files.
    /// All values are verified. On an error the server is stopped.
    pub async fn reconfigure(mut self, settings: &[Variable]) -> Result<Self, ServerError> {
        let flavor = self.facts.flavor;
        check_path_values(settings, &self.setup.config.storage)?;
        let wanted = settings_with(flavor, settings, &self.dir.placed.all)?;
        let change = SettingsChange::between(&self.settings, &wanted);
        if !change.is_live(flavor) {
            return self.restart(settings).await;
        }
        reset_to_default(self.connection(), &change.reset).await?;
        self.set_live(&change.set).await?;
        self.settings = wanted;
        self.setup.config.settings = settings.to_vec();
        Ok(self)
    }

    /// Shuts the server down and starts it again on the same files with these settings.
    async fn restart(mut self, settings: &[Variable]) -> Result<Self, ServerError> {
        self.setup.config.settings = settings.to_vec();
        self.setup.log = ServerLog::open(&self.setup.config.log)?;
        let stopped = self.process.stop(STOP_PATIENCE_FOR_DATA).await;
        stopped.map_err(ServerError::directory("stop the server of", self.dir.path()))?;
        let started = Self::start_in(self.dir, self.setup).await?;
        pool_is_loaded(&started.connection).await?;
        Ok(started)
    }

    /// Sets variables that take effect at once, and verifies them. Connections that are open keep their session values.
    pub async fn set_live(&mut self, settings: &[Variable]) -> Result<(), ServerError> {
        let flavor = self.facts.flavor;
        check_path_values(settings, &self.setup.config.storage)?;
        if let Some(other) = settings.iter().find(|setting| !is_live(flavor, setting.name())) {
            return Err(SettingError::ReadOnly(other.name().to_owned()).into());
        }
        self.facts.variables = set_verified(&self.connection, flavor, settings).await?;
        Ok(())
    }

    /// Shuts the server down, kills it if that takes longer than 20 s, and removes its directory.
    pub async fn stop(self) -> io::Result<ProcessEnd> {
        let exit = self.process.stop(STOP_PATIENCE).await?;
        self.dir.remove()?;
        Ok(exit)
    }
}

fn sweep(base: &Path, progress: &(dyn Fn(&str) + Sync)) -> Result<(), ServerError> {
    let swept = sweep_stale(base).map_err(ServerError::directory("look through", base))?;
    for (path, removed) in swept.directories {
        let path = path.display();
        progress(&match removed {
            Ok(()) => format!("removed {path}, left by a killed run"),
            Err(error) => format!("cannot remove {path}, left by a killed run: {error}"),
        });
    }
    for (place, done) in swept.settings {
        progress(&match done {
            Ok(()) => format!("put back {place}, set by a killed run"),
            Err(error) => format!("cannot put back {place}, set by a killed run: {error}"),
        });
    }
    Ok(())
}
