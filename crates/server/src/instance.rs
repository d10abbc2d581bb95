//! A private server: started for one measurement, and gone after it.

use std::fs::DirEntry;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::arguments;
use crate::connection::{ConnectError, Connection, Endpoint};
use crate::copy::{CopyError, copy_tree};
use crate::directory::{self, InstanceDir, sweep_stale};
use crate::facts::{FactsError, ServerFacts};
use crate::find::Binary;
use crate::flavor::Flavor;
use crate::home::Home;
use crate::image::ImageConfig;
use crate::log::{ServerLog, disk_is_full};
use crate::placed::Placed;
use crate::placement::{self, Placement, class_of_initial};
use crate::process::{Launch, ServerProcess};
use crate::reconfigure::{Asked, Reconfigured};
use crate::set_global::SetError;
use crate::setting::{Setting, SettingError, replace, verify, with_defaults};
use crate::start_error::StartError;
use crate::template::TemplateSource;
use crate::tls::Tls;
use crate::user::ServerUser;
use crate::watch::Exit;

/// How often a starting server is tried.
const READY_POLL: Duration = Duration::from_millis(20);

/// How long a server may take to stop before it is killed.
const STOP_PATIENCE: Duration = Duration::from_secs(20);

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
    // Dropped in this order: no server writes to a directory that goes.
    process: ServerProcess,
    dir: InstanceDir,
    connection: Connection,
    facts: ServerFacts,
    asked: Asked,
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
        let settings = with_defaults(config.binary.flavor, &config.settings)?;
        let user = ServerUser::choose()?;
        let base = directory::create_open(&config.base, &user)?;
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
        let template = source.prepare(progress).await?;
        let making = Making {
            config,
            user,
            log: &log,
            base: &base,
        };
        making.start(template).await.map_err(|error| match &config.image {
            Some(image) => error.on_image(image.size, &base),
            None => error,
        })
    }

    /// What the server says of itself.
    pub fn facts(&self) -> &ServerFacts {
        &self.facts
    }

    /// How to connect to it.
    pub fn connection(&self) -> &Connection {
        &self.connection
    }

    /// The server's process.
    pub fn pid(&self) -> u32 {
        self.process.pid()
    }

    /// Its directory, with `data` and `tmp` in it, or in `fs` there when it has a file system of its own.
    pub fn directory(&self) -> &Path {
        self.dir.path()
    }

    /// Its data directory.
    pub fn data_directory(&self) -> PathBuf {
        self.dir.places().data
    }

    /// What is placed elsewhere.
    pub fn placed(&self) -> &[Placed] {
        self.dir.placed()
    }

    /// Its socket.
    pub fn socket(&self) -> PathBuf {
        self.dir.places().socket
    }

    /// Whether the server lives.
    pub fn is_running(&self) -> bool {
        self.process.watch().exit().is_none()
    }

    /// Waits until the server has died, by whatever cause.
    pub async fn died(&self) -> Exit {
        self.process.watch().ended().await
    }

    /// Makes the server have these settings instead of those that it has, without a restart: the durable defaults hold
    /// for what they leave out. What was set before and is not among them any more gets the value of the server's start
    /// again; with what the server was started with, the server's built-in default. All are read back and verified.
    ///
    /// Connections that are open keep the session values that they have.
    pub async fn reconfigure(&mut self, settings: &[Setting]) -> Result<Reconfigured, SetError> {
        let flavor = self.facts.flavor;
        let wanted = settings_with(flavor, settings, self.dir.placed())?;
        let set = self.asked.reconfigure(&self.connection, flavor, &wanted);
        let (done, variables) = set.await?;
        if let Some(variables) = variables {
            self.facts.variables = variables;
        }
        Ok(done)
    }

    /// Stops the server in order, kills it if that takes longer than 20 s, and removes its directory.
    pub async fn stop(self) -> io::Result<Exit> {
        let exit = self.process.stop(STOP_PATIENCE).await?;
        self.dir.remove()?;
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
        if let Some(image) = &self.image {
            image.check(base)?;
        }
        Ok(())
    }
}

/// A server that has a template, and no directory yet.
struct Making<'a> {
    config: &'a InstanceConfig,
    user: ServerUser,
    log: &'a ServerLog,
    base: &'a Path,
}

impl Making<'_> {
    async fn start(self, template: PathBuf) -> Result<Instance, StartError> {
        let dir = self.directory().await?;
        let dir = copy_data(template, dir, self.user.clone())
            .await
            .map_err(|error| StartError::copy(error, self.base))?;
        let settings = settings_with(self.config.binary.flavor, &self.config.settings, dir.placed())?;
        let process = spawn(self.config, &settings, &self.user, self.log, &dir)?;
        let starting = Starting {
            config: self.config,
            base: self.base,
            settings,
            log: self.log,
            process,
            dir,
        };
        starting.finish().await
    }

    async fn directory(&self) -> Result<InstanceDir, StartError> {
        let mut dir = InstanceDir::create(self.base, &self.user)?;
        if let Some(image) = &self.config.image {
            dir.mount(image, &self.user, self.log).await?;
        }
        dir.furnish(&self.config.placements, &self.user)
            .map_err(StartError::directory("make an instance in", self.base))?;
        Ok(dir)
    }
}

/// A server that was started and does not answer yet.
struct Starting<'a> {
    config: &'a InstanceConfig,
    base: &'a Path,
    settings: Vec<Setting>,
    log: &'a ServerLog,
    process: ServerProcess,
    dir: InstanceDir,
}

impl Starting<'_> {
    async fn finish(self) -> Result<Instance, StartError> {
        let connection = Connection {
            endpoint: Endpoint::Socket(self.dir.places().socket),
            user: "root".to_owned(),
            password: None,
            database: None,
            tls: Tls::Disabled,
        };
        self.ready(&connection).await?;
        let facts = ServerFacts::collect(&connection, self.process.pid(), true)
            .await
            .map_err(|error| match error {
                FactsError::Connect(error) => StartError::Connect(error),
                FactsError::Binary { source, .. } => {
                    StartError::directory("read", Path::new("/proc"))(source)
                }
            })?;
        verify(&self.settings, &facts.variables, facts.flavor)?;
        Ok(Instance {
            asked: Asked::new(self.settings, facts.variables.clone()),
            process: self.process,
            dir: self.dir,
            connection,
            facts,
        })
    }

    /// Waits for the first of: an answer, the server's end, the end of patience.
    async fn ready(&self, connection: &Connection) -> Result<(), StartError> {
        let binary = &self.config.binary;
        tokio::select! {
            biased;
            exit = self.process.watch().ended() => {
                Err(StartError::ended(binary, "starting", exit, self.log, self.base))
            }
            answer = self.answers(connection) => answer,
            () = tokio::time::sleep(self.config.ready_within) => {
                Err(StartError::not_ready(binary, self.config.ready_within.as_secs(), self.log))
            }
        }
    }

    async fn answers(&self, connection: &Connection) -> Result<(), StartError> {
        loop {
            match connection.check().await {
                Ok(()) => return Ok(()),
                Err(error @ ConnectError::AccessDenied { .. }) => return Err(error.into()),
                // A server without disk space waits for some, for ever.
                Err(_) if disk_is_full(&self.log.text()) => {
                    return Err(StartError::DiskFull(self.base.to_owned()));
                }
                Err(_) => tokio::time::sleep(READY_POLL).await,
            }
        }
    }
}

/// All settings of a server: the defaults, those that were chosen, and those that place its files.
fn settings_with(
    flavor: Flavor,
    chosen: &[Setting],
    placed: &[Placed],
) -> Result<Vec<Setting>, SettingError> {
    let mut settings = with_defaults(flavor, chosen)?;
    for placed in placed {
        replace(
            &mut settings,
            placement::settings(placed.class, flavor, &placed.directory),
        );
    }
    Ok(settings)
}

fn sweep(base: &Path, progress: &(dyn Fn(&str) + Sync)) -> Result<(), StartError> {
    let swept = sweep_stale(base).map_err(StartError::directory("look through", base))?;
    for path in swept.removed {
        progress(&format!("removed {}, left by a killed run", path.display()));
    }
    for (path, error) in swept.kept {
        progress(&format!(
            "cannot remove {}, left by a killed run: {error}",
            path.display()
        ));
    }
    Ok(())
}

/// Copies the template on a thread of its own. The directory goes with it: if nobody waits for the copy any
/// more, it is removed when the copy ends.
async fn copy_data(template: PathBuf, dir: InstanceDir, user: ServerUser) -> Result<InstanceDir, CopyError> {
    let (from, to) = (template.clone(), dir.places().data);
    let copying = tokio::task::spawn_blocking(move || {
        let elsewhere = |entry: &DirEntry| {
            let is_directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let class = class_of_initial(&entry.file_name().to_string_lossy(), is_directory)?;
            dir.placed_for(class)
        };
        copy_tree(&template, &dir.places().data, &user, &elsewhere)?;
        Ok(dir)
    });
    copying.await.unwrap_or_else(|ended| {
        Err(CopyError {
            from,
            to,
            source: ended.into(),
        })
    })
}

fn spawn(
    config: &InstanceConfig,
    settings: &[Setting],
    user: &ServerUser,
    log: &ServerLog,
    dir: &InstanceDir,
) -> Result<ServerProcess, StartError> {
    let launch = Launch {
        program: &config.binary.path,
        arguments: &arguments::start(&config.binary, &dir.places(), config.port, settings),
        user,
        directory: dir.path(),
        log,
    };
    ServerProcess::spawn(&launch).map_err(|source| StartError::Spawn {
        program: config.binary.path.clone(),
        source,
    })
}
