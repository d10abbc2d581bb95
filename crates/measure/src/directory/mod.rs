//! Run directories and their files.

pub mod private_file;
pub(crate) mod reserved_file;
pub mod run_dir;
pub mod runs;
#[cfg(test)]
mod tests;
