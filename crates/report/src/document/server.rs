//! Server that was measured.

use std::collections::BTreeMap;

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
    /// The variables that a durable commit depends on (`innodb_flush_log_at_trx_commit`, `sync_binlog`, ...).
    pub settings: BTreeMap<String, String>,
}

impl Server {
    /// Returns its name and version, such as `MySQL 9.7.4`.
    pub fn name(&self) -> String {
        format!("{} {}", self.flavor, self.version)
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
