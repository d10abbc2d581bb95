//! The one reader of files that users name and that run directories have.
//!
//! A file of somebody else can be a link to a file of the reader, a device without an end, a FIFO without a writer, or larger
//! than the memory. So a file is opened without following a link and without waiting, it must be a regular one, and its size
//! has a limit that depends on what it is for.

mod directory;
mod error;
mod file;
mod kind;

pub use directory::InputDir;
pub use error::InputError;
pub use file::InputFile;
pub use kind::InputKind;
