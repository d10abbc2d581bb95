//! One measurement under a load of logtrace: configuration, server, load, window, outcome.

mod config;
mod connections;
mod cpu_placement;
mod load;
mod measure;
mod outcome;
mod server;
mod short_turn;
mod window;

pub(crate) use self::config::{Pacing, RunConfig};
pub(crate) use self::connections::Connections;
pub(crate) use self::cpu_placement::CpuPlacement;
pub(crate) use self::load::drive::{DATABASE, drop_tables};
pub(crate) use self::measure::measure;
pub(crate) use self::outcome::caveats::remote_server;
pub(crate) use self::outcome::document::results;
pub(crate) use self::server::open_server::{OpenServer, Tables, check_traceable, open_server};
pub(crate) use self::server::teardown::tear_down;
pub(crate) use self::short_turn::short_turn;
pub(crate) use self::window::window;
