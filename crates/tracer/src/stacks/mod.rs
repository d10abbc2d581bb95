//! Stacks of the kernel's and the server's functions: how to find a caller in the server, and the functions' names.

mod function_names;
mod mapped_files;

pub(crate) mod kernel_frames;
pub(crate) mod server_code;
pub(crate) mod server_frames;
pub(crate) mod stack_names;
pub(crate) mod tables;
pub(crate) mod unwind_rows;
