//! One measured execution under a load of our own: from checked configuration to run document.

mod config;
mod load;
mod measure;
mod outcome;
mod preflight;
mod server;
mod target;
mod window;

pub(crate) use self::config::pacing::Pacing;
pub(crate) use self::config::run_config::RunConfig;
pub(crate) use self::config::storage::Storage;
pub(crate) use self::load::drive::DATABASE;
pub(crate) use self::measure::measure;
pub(crate) use self::outcome::document::measured;
pub(crate) use self::preflight::preflight;
pub(crate) use self::server::open_server::{Served, Tables, check_traceable, serve};
pub(crate) use self::server::teardown::give_back;
pub(crate) use self::window::window;
