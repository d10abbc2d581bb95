//! One measurement under a load of logtrace: server, load, window.

mod load;
mod measure;
mod server;
mod short_turn;
mod window;

pub use self::load::drive::{DATABASE, drop_tables};
pub use self::measure::measure;
pub use self::server::open_server::{OpenServer, Tables, check_traceable, open_server};
pub use self::server::teardown::tear_down;
pub use self::short_turn::{TurnLoad, short_turn};
pub use self::window::window;
pub use crate::config::connections::Connections;
pub use crate::config::cpu_placement::CpuPlacement;
pub use crate::config::run_config::{Pacing, RunConfig};
pub use crate::document::caveats::run::remote_server;
pub use crate::document::run::results;
pub use crate::outcome::run_outcome::RunOutcome;
