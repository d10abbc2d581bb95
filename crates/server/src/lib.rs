//! Servers to measure: finding an installed MySQL or MariaDB, starting a private instance with verified
//! settings, attaching to one that runs, and the facts of the server and of the machine that a report needs.
//!
//! [`Server::open`] is the way in. A private instance is durable by default, is reached by its socket alone,
//! runs as an unprivileged user, and goes with logtrace in whatever way logtrace goes.

mod attached;
mod connection;
mod error;
mod facts;
#[cfg(test)]
mod fuzz;
mod install;
mod instance;
mod owned_path;
mod path_rule;
mod process;
mod server;
mod settings;
mod storage;

pub use attached::ManagedServer;
pub use attached::give_back::LeftServer;
pub use attached::observed::{ObservedChoice, ObservedServer};
pub use connection::dsn_parameters::ABSTRACT_SOCKET;
pub use connection::locality::is_remote;
pub use connection::option_file::OptionFile;
pub use connection::private_text::read_password_file;
pub use connection::{parse_dsn, write_dsn};
pub use error::{ServerError, SettingError};
pub use facts::block_device::BlockDeviceFacts;
pub use facts::container::{ContainerFacts, ControlGroupFacts};
pub use facts::cpu_time::process_cpu_ns;
pub use facts::file_system::FileSystemFacts;
pub use facts::placed::{PlacedClass, PlacedOn};
pub use facts::process_groups::control_groups_of;
pub use facts::server::{ServerFacts, status_delta};
pub use facts::sessions::{ServerSession, SessionsUnread, read_sessions};
pub use facts::stage_times::{StageTotal, Stages, enable_stage_times, stage_times, stages_since};
pub use facts::thread_names::thread_names;
pub use facts::{HostFacts, PlacedFacts, memory_bytes};
pub use install::home::Home;
pub use install::os_user::ServerUser;
pub use install::program_trust::{check_file_owner, check_program_owner};
pub use install::server_arg::ServerChoice;
pub use install::trusted_path::{Writers, trusted_directory};
pub use install::{Binary, find};
pub use instance::Instance;
pub use instance::buffer_pool::buffer_pool;
pub use instance::config::InstanceConfig;
pub use instance::snapshot::DataSnapshot;
pub use instance::stale::{Swept, sweep_stale};
pub use instance::storage_check::check_storage;
pub use instance::template::sweep_templates;
pub use process::brief_run::brief_output;
pub use process::clean_command::RunAs;
pub use process::cpus::{Cpus, InvalidCpus};
pub use process::pidfd::ProcessEnd;
pub use server::{Server, ServerConfig};
pub use settings::live::is_live;
pub use settings::{is_fixed_at_initialisation, is_reserved};
pub use storage::config::Storage;
pub use storage::file_location::FileLocation;
pub use storage::file_lock::FileLock;
pub use storage::fs_image::ImageConfig;
pub use storage::fs_image::fs_kind::{ImageKind, MissingTool};
pub use storage::fs_image::size::ImageSize;
pub use storage::kernel_settings::{
    KernelPlace, KernelSetting, KernelSettingsGuard, check_kernel_setting, disk_under,
};
pub use storage::mount_namespace::enter_mount_namespace;
pub use storage::path_values::check_path_values;
pub use storage::sync_rate::sync_rate;
pub use storage::{Placement, check_placements};
