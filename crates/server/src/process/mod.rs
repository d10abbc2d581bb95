pub(crate) mod child;
pub(crate) mod error_log;
pub(crate) mod pidfd;
