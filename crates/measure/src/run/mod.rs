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

pub use self::config::{Pacing, RunConfig};
pub use self::connections::Connections;
pub use self::cpu_placement::CpuPlacement;
pub use self::load::drive::{DATABASE, drop_tables};
pub use self::measure::measure;
pub use self::outcome::caveats::remote_server;
pub use self::outcome::document::results;
pub use self::outcome::run_outcome::RunOutcome;
pub use self::server::open_server::{OpenServer, Tables, check_traceable, open_server};
pub use self::server::teardown::tear_down;
pub use self::short_turn::{TurnLoad, short_turn};
pub use self::window::window;
