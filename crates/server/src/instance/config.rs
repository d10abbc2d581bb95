//! Configuration of a private server.

use std::net::SocketAddr;
use std::path::PathBuf;

use crate::error::ServerError;
use crate::install::Binary;
use crate::install::home::Home;
use crate::install::os_user::ServerUser;
use crate::process::cpus::Cpus;
use crate::process::error_log::ServerLog;
use crate::storage::config::Storage;
use logtrace_common::Variable;

/// Configuration of a private server.
#[derive(Clone, Debug)]
pub struct InstanceConfig {
    /// Program of the server.
    pub binary: Binary,
    /// Variables that replace or complete the durable defaults.
    pub settings: Vec<Variable>,
    /// File to which the server's output is appended.
    pub log: PathBuf,
    /// Directories of instances and of initialised data directories.
    pub home: Home,
    /// Location of the server's files.
    pub storage: Storage,
    /// Address at which the server also listens, for replicas and clients of other machines. Without one the server
    /// listens on its socket only.
    pub listen: Option<SocketAddr>,
    /// CPUs of the server; all of logtrace's if there are none.
    pub cpus: Option<Cpus>,
}

impl InstanceConfig {
    /// Returns a configuration with the usual [`Home`], and no settings beyond the defaults.
    pub fn new(binary: Binary, log: PathBuf) -> Self {
        Self {
            binary,
            settings: Vec::new(),
            log,
            home: Home::default(),
            storage: Storage::default(),
            listen: None,
            cpus: None,
        }
    }
}

/// Configuration of a private server, and what is chosen and opened for it.
#[derive(Debug)]
pub(crate) struct InstanceSetup {
    pub(crate) config: InstanceConfig,
    pub(crate) user: ServerUser,
    /// Directory of instances.
    pub(crate) base: PathBuf,
    pub(crate) log: ServerLog,
}

impl InstanceSetup {
    pub(crate) fn new(config: &InstanceConfig) -> Result<Self, ServerError> {
        let user = ServerUser::choose(config.home.user.as_deref())?;
        Ok(Self {
            base: user.create_directory(&config.home.instances)?,
            log: ServerLog::open(&config.log)?,
            config: config.clone(),
            user,
        })
    }
}
