//! Stacks of the server's functions: which files are mapped, how to find a caller, and the functions' names.

mod function_names;
mod mapped_files;
mod unwind_rows;

pub(crate) mod stack_names;
pub(crate) mod tables;
