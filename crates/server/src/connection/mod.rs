pub(crate) mod dsn;
pub(crate) mod dsn_parameters;
pub(crate) mod listener_pid;
pub(crate) mod locality;
pub(crate) mod option_file;
pub(crate) mod peer;
pub(crate) mod private_text;
