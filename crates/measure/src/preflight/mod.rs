//! Requirements on this machine, checked before a run and by `logtrace doctor`.

mod check;
mod open_files;
mod requirements;
mod server_rights;

pub use self::check::Check;
pub use self::open_files::raise_limit;
pub use self::requirements::{
    building, check_run, file_system, file_systems, open_files, private_server, privilege, require,
    rights_of_root, servers, tracing,
};
pub use self::server_rights::server_rights;
