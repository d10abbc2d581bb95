//! Process of a server, held so that everything that is read of it is of one process and of one program.

mod error;
mod opened;
mod process_handle;
mod reading;

pub use error::ProcessError;
pub use nix::sys::uio::RemoteIoVec;
pub use opened::open_within;
pub use process_handle::{FileId, ProcessHandle};
