//! Process of a server, held so that everything that is read of it is of one process and of one program.

mod error;
mod mappings;
mod opened;
mod process_handle;
mod reading;
mod thread_numbers;

pub use error::ProcessError;
pub use mappings::Mappings;
pub use nix::sys::uio::RemoteIoVec;
pub use opened::open_within;
pub use process_handle::{DeviceAndInode, ProcessHandle};
