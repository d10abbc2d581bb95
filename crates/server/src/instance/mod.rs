//! A private server: started for one measurement, and gone after it.

pub(crate) mod buffer_pool;
pub(crate) mod command_line;
pub(crate) mod copy_tree;
pub(crate) mod error;
pub(crate) mod instance_dir;
pub(crate) mod launch;
pub(crate) mod placed_files;
pub(crate) mod snapshot;
pub(crate) mod storage_check;
pub(crate) mod template;

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::facts::server::ServerFacts;
use crate::install::binary::Binary;
use crate::install::home::Home;
use crate::install::os_user::ServerUser;
use crate::instance::buffer_pool::pool_is_loaded;
use crate::instance::error::StartError;
use crate::instance::instance_dir::sweep_stale;
use crate::instance::launch::{Setup, Started, settings_with};
use crate::instance::snapshot::{KeepError, KeptData};
use crate::instance::template::TemplateSource;
use crate::process::error_log::{ServerLog, telling_lines};
use crate::process::pidfd::Exit;
use crate::settings::live::{SettingsChange, is_live};
use crate::settings::set_global::{SetError, reset_to_default, set_verified};
use crate::settings::variable::{Setting, SettingError, with_defaults};
use crate::storage::fs_image::{ImageConfig, check_images};
use crate::storage::place::Place;
use crate::storage::placed_dirs::Placed;
use crate::storage::placement::Placement;
use logtrace_common::Connection;
use logtrace_common::FileClass;

/// How long a server may take to stop before it is killed.
const STOP_PATIENCE: Duration = Duration::from_secs(20);

/// The same where its data is needed: a large buffer pool is written first.
const STOP_PATIENCE_FOR_DATA: Duration = Duration::from_secs(300);

/// What to start, and where.
#[derive(Clone, Debug)]
pub struct InstanceConfig {
    /// The server's program.
    pub binary: Binary,
    /// Variables that replace or complete the durable defaults.
    pub settings: Vec<Setting>,
    /// The file that the server's output is appended to.
    pub log: PathBuf,
    /// The directory that holds instances, each in a directory of its own.
    pub base: PathBuf,
    /// The directory that holds initialised data directories to copy.
    pub templates: PathBuf,
    /// A file system of its own.
    pub image: Option<ImageConfig>,
    /// Classes of its files that are elsewhere.
    pub placements: Vec<Placement>,
    /// A port of 127.0.0.1 at which it is reached as well, as replicas need; by default by its socket alone.
    pub port: Option<u16>,
    /// How long the server may take to answer.
    pub ready_within: Duration,
}

impl InstanceConfig {
    /// The usual [`Home`], one minute to get ready, no settings beyond the defaults.
    pub fn new(binary: Binary, log: PathBuf) -> Self {
        let Home { instances, templates } = Home::default();
        Self {
            binary,
            settings: Vec::new(),
            log,
            base: instances,
            templates,
            image: None,
            placements: Vec::new(),
            port: None,
            ready_within: Duration::from_secs(60),
        }
    }
}

/// A private server that answers on its socket, with its settings verified.
///
/// Dropping it kills the server, waits for that, and removes its directory. If logtrace itself is killed, the
/// kernel kills the server, and the next start removes the directory.
#[derive(Debug)]
pub struct Instance {
    started: Started,
    config: InstanceConfig,
}

impl Instance {
    /// Starts a server and waits until it answers. Dropping the future leaves nothing.
    ///
    /// The server dies with the thread that polls this: call it from the main thread, or from one that lives as
    /// long as the measurement.
    pub async fn start(
        config: &InstanceConfig,
        progress: &(dyn Fn(&str) + Sync),
    ) -> Result<Self, StartError> {
        Self::start_with(config, None, progress).await
    }

    /// The same with a copy of data that was kept, if there is any; it is in the buffer pool as it was then, as far as
    /// it fits.
    pub async fn start_with(
        config: &InstanceConfig,
        kept: Option<&KeptData>,
        progress: &(dyn Fn(&str) + Sync),
    ) -> Result<Self, StartError> {
        let settings = with_defaults(config.binary.flavor, &config.settings)?;
        let user = ServerUser::choose()?;
        let base = instance_dir::create_open(&config.base, &user)?;
        sweep(&base, progress)?;
        config.check_storage(&base, &settings, &user)?;
        let log = ServerLog::open(&config.log).map_err(StartError::directory("open", &config.log))?;
        let source = TemplateSource {
            binary: &config.binary,
            settings: &settings,
            user: &user,
            log: &log,
            templates: &config.templates,
        };
        let data = match kept {
            Some(kept) => kept.data_for(&config.binary, &settings)?,
            None => source.prepare(progress).await?,
        };
        let setup = Setup {
            config,
            user: &user,
            log: &log,
            base: &base,
        };
        let started = async { setup.start(setup.make(data).await?).await };
        let started = started.await.map_err(|error| match &config.image {
            Some(image) => error.on_image(image.size, &base),
            None => error,
        })?;
        if kept.is_some() {
            pool_is_loaded(&started.connection).await?;
        }
        let config = config.clone();
        Ok(Self { started, config })
    }

    /// Stops the server in order and keeps a copy of its data, to start others with.
    pub async fn stop_and_keep(self) -> Result<KeptData, KeepError> {
        let Self { started, config } = self;
        let user = ServerUser::choose().map_err(|error| KeepError::Copy(error.into()))?;
        remember_pool(&started).await;
        let log = ServerLog::open(&config.log).map_err(KeepError::Stop)?;
        let Started {
            process, dir, facts, ..
        } = started;
        let exit = process
            .stop(STOP_PATIENCE_FOR_DATA)
            .await
            .map_err(KeepError::Stop)?;
        if exit != Exit::Code(0) {
            let lines = telling_lines(&log.text());
            return Err(KeepError::Unclean { exit, lines });
        }
        let base = instance_dir::create_open(&config.base, &user).map_err(KeepError::Copy)?;
        let of = (&config.binary, &config.settings[..]);
        let (kept, dir) = KeptData::copy(base, dir, user, facts.log_names(), of).await?;
        dir.remove().map_err(KeepError::Remove)?;
        Ok(kept)
    }

    /// What the server says of itself.
    pub fn facts(&self) -> &ServerFacts {
        &self.started.facts
    }

    /// How to connect to it.
    pub fn connection(&self) -> &Connection {
        &self.started.connection
    }

    /// The server's process.
    pub fn pid(&self) -> u32 {
        self.started.process.pid()
    }

    /// Its directory, with `data` and `tmp` in it, or in `fs` there when it has a file system of its own.
    pub fn directory(&self) -> &Path {
        self.started.dir.path()
    }

    /// Its data directory.
    pub fn data_directory(&self) -> PathBuf {
        self.started.dir.places().data
    }

    /// What is placed elsewhere.
    pub fn placed(&self) -> &[Placed] {
        self.started.dir.placed()
    }

    /// Bytes of each class of files that logtrace has thrown away for the server ([`Place::Nothing`]); MariaDB, which
    /// writes to `/dev/null`, has none.
    pub fn discarded(&self) -> Vec<(FileClass, u64)> {
        self.started.dir.discarded()
    }

    /// Its socket.
    pub fn socket(&self) -> PathBuf {
        self.started.dir.places().socket
    }

    /// Whether the server lives.
    pub fn is_running(&self) -> bool {
        self.started.process.watch().exit().is_none()
    }

    /// Waits until the server has died, by whatever cause.
    pub async fn died(&self) -> Exit {
        self.started.process.watch().ended().await
    }

    /// Gives the server these settings in place of its own; the durable defaults hold for variables that they do not name.
    ///
    /// If only variables change that take effect at once ([`is_live`](crate::is_live)), they are set while the server runs, and
    /// a variable that is no longer set gets its built-in default. Otherwise the server is restarted on the same files.
    /// All values are verified. On an error the server is stopped.
    pub async fn reconfigure(mut self, settings: &[Setting]) -> Result<Self, StartError> {
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

    /// Stops the server in order and starts it again on the same files with these settings.
    async fn restart(self, settings: &[Setting]) -> Result<Self, StartError> {
        let Self { started, mut config } = self;
        config.settings = settings.to_vec();
        let user = ServerUser::choose()?;
        let base = instance_dir::create_open(&config.base, &user)?;
        let log = ServerLog::open(&config.log).map_err(StartError::directory("open", &config.log))?;
        let Started { process, dir, .. } = started;
        let stopped = process.stop(STOP_PATIENCE_FOR_DATA).await;
        stopped.map_err(StartError::directory("stop the server of", dir.path()))?;
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
    pub async fn set_live(&mut self, settings: &[Setting]) -> Result<(), SetError> {
        let flavor = self.started.facts.flavor;
        if let Some(other) = settings.iter().find(|setting| !is_live(flavor, setting.name())) {
            return Err(SettingError::ReadOnly(other.name().to_owned()).into());
        }
        self.started.facts.variables = set_verified(&self.started.connection, flavor, settings).await?;
        Ok(())
    }

    /// Stops the server in order, kills it if that takes longer than 20 s, and removes its directory.
    pub async fn stop(self) -> io::Result<Exit> {
        let exit = self.started.process.stop(STOP_PATIENCE).await?;
        self.started.dir.remove()?;
        Ok(exit)
    }
}

impl InstanceConfig {
    /// Fails when the server's files cannot be where they shall be, before anything is made.
    fn check_storage(&self, base: &Path, settings: &[Setting], user: &ServerUser) -> Result<(), StartError> {
        for placement in &self.placements {
            placement.check_server(self.binary.flavor, settings)?;
            placement.check_directory(user)?;
        }
        let volumes = self
            .placements
            .iter()
            .filter_map(|placement| match &placement.place {
                Place::Volume(image) => Some(image),
                _ => None,
            });
        let images: Vec<_> = self.image.iter().chain(volumes).collect();
        check_images(&images, base)?;
        Ok(())
    }
}

/// Makes the server note all pages of its buffer pool when it stops, instead of a quarter of them. If that fails, the
/// next server starts with fewer pages.
async fn remember_pool(started: &Started) {
    let all = Setting::new("innodb_buffer_pool_dump_pct", "100");
    let _ = set_verified(&started.connection, started.facts.flavor, &[all]).await;
}

fn sweep(base: &Path, progress: &(dyn Fn(&str) + Sync)) -> Result<(), StartError> {
    let swept = sweep_stale(base).map_err(StartError::directory("look through", base))?;
    for path in swept.removed {
        progress(&format!("removed {}, left by a killed run", path.display()));
    }
    for disk in swept.queues {
        progress(&format!("put back the queue of {disk}, set by a killed run"));
    }
    for (disk, error) in swept.queues_left {
        progress(&format!(
            "cannot put back the queue of {disk}, set by a killed run: {error}"
        ));
    }
    for (path, error) in swept.kept {
        progress(&format!(
            "cannot remove {}, left by a killed run: {error}",
            path.display()
        ));
    }
    Ok(())
}
