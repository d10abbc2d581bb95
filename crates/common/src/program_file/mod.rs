//! Program or library of a server, which may be any file; read in parts.
//!
//! A vendor's program has hundreds of megabytes, its tables of symbols and their names tens of them. Nothing of the size of a
//! program is ever in memory.

mod file;
mod headers;
mod names;
mod stack_depth;
mod symbols;

pub use crate::program_file::file::ProgramFile;
pub use crate::program_file::names::NamedSymbol;
pub use crate::program_file::stack_depth::{stack_depths, uprobe_depths};
pub use crate::program_file::symbols::Symbol;
