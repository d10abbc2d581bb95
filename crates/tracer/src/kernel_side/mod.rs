//! The kernel side: loading its programs, its maps, and ways to attach the programs.

pub(crate) mod attaching;
pub(crate) mod filling;
pub(crate) mod kernel_types;
pub(crate) mod object;
pub(crate) mod reasons;
pub(crate) mod uprobes;
