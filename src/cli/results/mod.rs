//! Arguments of the commands on run directories.

pub(crate) mod collect;
pub(crate) mod compare;
pub(crate) mod join;
pub(crate) mod report;
