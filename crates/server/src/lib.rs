//! Servers to measure: finding an installed MySQL or MariaDB, starting a private instance with verified
//! settings, attaching to one that runs, and the facts of the server and of the machine that a report needs.
//!
//! [`Server::open`] is the way in. A private instance is durable by default, is reached by its socket alone,
//! runs as an unprivileged user, and goes with logtrace in whatever way logtrace goes.

mod ack_receiver;
mod arguments;
mod block_device;
mod choice;
mod connection;
mod copy;
mod directory;
mod dsn;
mod facts;
mod file_system;
mod find;
mod flavor;
mod globals;
mod home;
mod host;
mod image;
mod image_kind;
mod image_size;
mod instance;
mod log;
mod loop_device;
mod peer;
mod placed;
mod placement;
mod private_mounts;
mod process;
mod reconfigure;
mod running;
mod server;
mod set_global;
mod setting;
mod start_error;
mod taken;
mod template;
mod tls;
mod untold;
mod user;
mod watch;
mod watched;

pub use block_device::BlockDeviceFacts;
pub use choice::{ChoiceError, ServerChoice};
pub use connection::{ConnectError, Connection, Endpoint, Password};
pub use copy::CopyError;
pub use directory::{Swept, sweep_stale};
pub use dsn::{Dsn, DsnError, PASSWORD_VARIABLE, Target};
pub use facts::{FactsError, ServerFacts, status_delta};
pub use file_system::{FileSystemError, FileSystemFacts};
pub use find::{Binary, FindError, find};
pub use flavor::{Flavor, version_number};
pub use home::Home;
pub use host::{HostError, HostFacts, PlacedFacts};
pub use image::{ImageConfig, ImageError};
pub use image_kind::{ImageKind, ImageKindError, MissingTool};
pub use image_size::{ImageSize, ImageSizeError};
pub use instance::{Instance, InstanceConfig};
pub use peer::PeerError;
pub use placed::Placed;
pub use placement::{Placement, PlacementError, check_placements};
pub use private_mounts::{PrivateMounts, PrivateMountsError};
pub use reconfigure::Reconfigured;
pub use running::{RunningConfig, RunningError, RunningServer};
pub use server::{Server, ServerConfig, ServerError};
pub use set_global::SetError;
pub use setting::{Setting, SettingError};
pub use start_error::StartError;
pub use tls::Tls;
pub use untold::ProcessError;
pub use user::{ServerUser, UserError};
pub use watch::Exit;
pub use watched::{RunningChoice, WatchError, WatchedServer};
