pub(crate) mod dsn;
pub(crate) mod listener_pid;
pub(crate) mod locality;
