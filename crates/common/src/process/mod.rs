//! Process of a server, held so that everything that is read of it is of one process and of one program.

mod error;
mod opened;
mod reading;
mod server_process;

pub use error::ProcessError;
pub use nix::sys::uio::RemoteIoVec;
pub use opened::open_within;
pub use server_process::{FileId, ServerProcess};
