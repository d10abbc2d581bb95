pub(crate) mod brief_run;
pub(crate) mod child;
pub(crate) mod clean_command;
pub(crate) mod control_group;
pub(crate) mod cpus;
pub(crate) mod error_log;
pub(crate) mod pidfd;
