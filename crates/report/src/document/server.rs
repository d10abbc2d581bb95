//! Server that was measured.

use std::collections::BTreeMap;

use logtrace_common::thread_handling::pools_threads;
use logtrace_common::{FileClass, Flavor};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Server that was measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Server {
    /// `mysql` or `mariadb`.
    #[schemars(with = "String")]
    pub flavor: Flavor,
    /// Version of the server.
    pub version: String,
    /// Whether logtrace started it for this run.
    pub private: bool,
    /// Path of the server's program; absent if the server is on another machine.
    pub binary: Option<String>,
    /// Path of the control group of the server's process; absent if the server is on another machine.
    #[serde(default)]
    pub control_group: Option<String>,
    /// Container of the server; absent if the path of its control group names none.
    #[serde(default)]
    pub container: Option<Container>,
    /// File system of the data directory.
    pub file_system: String,
    /// Device under it.
    pub device: String,
    /// File that holds the file system, if its device is a loop device.
    #[serde(default)]
    pub image: Option<LoopImage>,
    /// Classes of files that are placed elsewhere than in the data directory.
    #[serde(default)]
    pub placement: Vec<Placed>,
    /// The variables that govern commits and their causes (`innodb_flush_log_at_trx_commit`, `sync_binlog`, ...), as far as the
    /// server has them. Without a login, those that were found in its memory.
    pub settings: BTreeMap<String, String>,
}

impl Server {
    /// Returns its name and version, such as `MySQL 9.7.4`.
    pub fn name(&self) -> String {
        format!("{} {}", self.flavor, self.version)
    }

    /// Returns the value of `thread_handling` if a pool of threads serves the connections.
    pub(crate) fn thread_pool(&self) -> Option<&str> {
        let handling = self.settings.get("thread_handling")?;
        pools_threads(handling).then_some(handling)
    }
}

/// Container, as the path of a control group names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Container {
    /// `docker`, `podman`, `containerd`, `cri-o`, `systemd-nspawn`, `lxc`, or `unknown`.
    pub runtime: String,
    /// Id of 64 hexadecimal digits; a name with `systemd-nspawn` and `lxc`.
    pub id: String,
}

/// File that serves as a disk.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LoopImage {
    /// Size in bytes.
    pub bytes: u64,
    /// Whether its device passes by the page cache of the file system below.
    pub direct_io: Option<bool>,
    /// File system that holds the file.
    pub file_system: String,
    /// Device under that file system.
    pub device: String,
}

/// File class with a directory of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Placed {
    /// File class.
    #[schemars(schema_with = "logtrace_attribution::names_schema::names::<FileClass>")]
    pub class: FileClass,
    /// Directory of the class.
    pub directory: String,
    /// File system of that directory.
    pub file_system: String,
    /// Device under it.
    pub device: String,
}

#[cfg(test)]
impl Server {
    /// Returns a private server on ext4 with these settings.
    pub(crate) fn sample(flavor: Flavor, settings: &[(&str, &str)]) -> Self {
        let settings = settings.iter();
        Self {
            flavor,
            version: "9.7.4".to_owned(),
            private: true,
            binary: None,
            control_group: None,
            container: None,
            file_system: "ext4".to_owned(),
            device: "/dev/vda".to_owned(),
            image: None,
            placement: Vec::new(),
            settings: settings
                .map(|&(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
        }
    }
}
