pub(crate) mod binary;
pub(crate) mod home;
pub(crate) mod identity;
pub(crate) mod os_user;
pub(crate) mod program_trust;
pub(crate) mod server_arg;
pub(crate) mod trusted_path;
