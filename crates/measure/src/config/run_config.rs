//! Configuration of a run.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use logtrace_common::Variable;
use logtrace_driver::{Arrivals, Dataset, Pace, RateArg, Requests};
use logtrace_server::{Home, ServerChoice, ServerFacts, Storage};

use crate::config::connections::Connections;
use crate::config::cpu_placement::CpuPlacement;
use crate::measurement::TracingConfig;

/// Checked configuration of a run.
#[derive(Clone, Debug)]
pub struct RunConfig {
    /// Requests of the load.
    pub requests: Requests,
    /// Whether to check the consistency of the tables before and after the run.
    pub check: bool,
    /// Tables, distribution of keys, and seed.
    pub dataset: Dataset,
    /// Number of connections.
    pub connections: Connections,
    /// When requests are sent.
    pub pacing: Pacing,
    /// Length of the load before the window.
    pub warmup: Duration,
    /// Length of the window.
    pub duration: Duration,
    /// Whether to spin on the CPU for the last microseconds before a request is due.
    pub spin: bool,
    /// Longest time that a request may take, or `None` for no limit.
    pub deadline: Option<Duration>,
    /// Time to keep reconnecting after a connection is lost.
    pub reconnect_for: Duration,
    /// Server to measure, or `None` for a private one that is found.
    pub server: Option<ServerChoice>,
    /// Variables to set on the server.
    pub settings: Vec<Variable>,
    /// Variables to set in the sessions of the load.
    pub session: Vec<Variable>,
    /// Whether the tables stay on a running server.
    pub keep_tables: bool,
    /// File systems and files of a private server.
    pub storage: Storage,
    /// CPUs of the server and of the load.
    pub cpus: CpuPlacement,
    /// Whether the server is traced.
    pub trace: bool,
    /// Whether the server is on another machine, and so cannot be traced.
    pub is_remote: bool,
    /// Detail, sampling and rings of the trace.
    pub tracing: TracingConfig,
    /// Seconds between two lines with figures, if they are wanted.
    pub report_every_s: Option<u64>,
    /// Directory in which run directories are created.
    pub out: PathBuf,
    /// Directories of private servers.
    pub home: Home,
}

impl RunConfig {
    /// Returns the settings of the server. Adds room for all connections (those of the loader and of an administrator
    /// included) and for their prepared statements, if the defaults of a private server are too small.
    pub fn server_settings(&self) -> Vec<Variable> {
        const ROOM: usize = 51;
        // Both servers' defaults.
        const CONNECTIONS: usize = 151;
        const STATEMENTS: usize = 16_382;
        // Maximum in MySQL.
        const MOST_STATEMENTS: usize = 4_194_304;
        let is_open_loop = self.pacing != Pacing::Known(Pace::Closed);
        let connections = self.connections.most(is_open_loop);
        let statements = connections * self.requests.prepared_statements(self.dataset.tables);
        let needed = [
            ("max_connections", connections + ROOM, CONNECTIONS),
            (
                "max_prepared_stmt_count",
                statements.min(MOST_STATEMENTS),
                STATEMENTS,
            ),
        ];
        let mut settings = self.settings.clone();
        for (name, wanted, default) in needed {
            let is_chosen = settings.iter().any(|setting| setting.name() == name);
            if self.is_private() && !is_chosen && wanted > default {
                settings.extend(format!("{name}={wanted}").parse());
            }
        }
        settings
    }

    /// Returns the number of connections for a pace.
    pub(crate) fn connections_of(&self, pace: &Pace, server: &ServerFacts) -> NonZeroUsize {
        let limit = match self.is_private() {
            true => None,
            false => server.variables.get("max_connections"),
        };
        let limit = limit.and_then(|text| text.parse().ok());
        self.connections.of_pace(pace, self.duration, limit)
    }

    /// Returns the number of warehouses whose tables are checked, if they are.
    pub(crate) fn checked_warehouses(&self) -> Option<u32> {
        let tpcc = self.requests.tpcc().filter(|_| self.check);
        tpcc.map(|tpcc| tpcc.warehouses)
    }

    /// Returns advice for a full disk under the data of the server.
    pub(crate) fn when_full(&self) -> &'static str {
        match self.storage.image {
            Some(_) => "ask for more with --fs-size, or load less (--tables, --rows, --warehouses)",
            None => {
                "free some, load less (--tables, --rows, --warehouses), or choose another place with --home"
            }
        }
    }

    /// Returns whether logtrace starts the server itself.
    pub(crate) fn is_private(&self) -> bool {
        !matches!(self.server, Some(ServerChoice::Running(_)))
    }
}

/// Times at which requests start.
#[derive(Clone, Debug, PartialEq)]
pub enum Pacing {
    /// Pace that does not depend on the server.
    Known(Pace),
    /// Share of the server's capacity, which the run measures first.
    Share(RateArg, Arrivals),
}

impl Pacing {
    /// Returns the mean rate of the window in requests a second, or `None` for a closed loop and for a share of a
    /// capacity that is not known yet.
    pub fn offered_per_s(&self, window: Duration, capacity_per_s: Option<f64>) -> Option<f64> {
        match self {
            Self::Known(pace) => pace.offered_per_s(window),
            Self::Share(offer, arrivals) => {
                let pace = offer.pace(*arrivals, window, capacity_per_s?).ok()?;
                pace.offered_per_s(window)
            }
        }
    }

    /// Returns the name of the arrivals in the document.
    pub(crate) fn arrivals(&self) -> &'static str {
        match self {
            Self::Share(_, arrivals)
            | Self::Known(Pace::Open { arrivals, .. } | Pace::Scheduled { arrivals, .. }) => arrivals.into(),
            Self::Known(Pace::Replayed(_)) => "replay",
            Self::Known(Pace::Closed) => "closed",
        }
    }

    /// Returns the file or the range of rates that the rate follows, or `None` if the rate does not change.
    pub(crate) fn schedule(&self) -> Option<String> {
        match self {
            Self::Known(Pace::Scheduled { schedule, .. }) => Some(schedule.name().to_owned()),
            Self::Known(Pace::Replayed(times)) => Some(times.name().to_owned()),
            Self::Share(RateArg::Range(range), _) => Some(range.to_string()),
            Self::Share(RateArg::Constant(_), _) | Self::Known(Pace::Open { .. } | Pace::Closed) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::{run_config, server};

    /// Returns the settings of a server, as `NAME=VALUE`.
    fn settings(config: &RunConfig) -> Vec<String> {
        let settings = config.server_settings().into_iter();
        settings
            .map(|setting| format!("{}={}", setting.name(), setting.value()))
            .collect()
    }

    fn fixed(connections: usize) -> RunConfig {
        RunConfig {
            connections: Connections::Fixed(NonZeroUsize::new(connections).unwrap()),
            ..run_config("update_key")
        }
    }

    #[test]
    fn a_private_server_gets_room_for_connections_beyond_its_default() {
        assert_eq!(settings(&fixed(100)), Vec::<String>::new());
        assert_eq!(settings(&fixed(101)), ["max_connections=152"]);
    }

    #[test]
    fn what_the_user_chose_and_a_running_server_stay_as_they_are() {
        let mut config = fixed(500);
        config.settings = vec!["max_connections=200".parse().unwrap()];
        assert_eq!(settings(&config), ["max_connections=200"]);
        let mut running = fixed(500);
        running.server = Some("mysql://root@localhost/".parse().unwrap());
        assert_eq!(settings(&running), Vec::<String>::new());
    }

    #[test]
    fn only_a_running_server_limits_the_connections_of_a_rate() {
        let pace = Pace::Open {
            rate_per_s: 2_000.0,
            arrivals: Arrivals::Poisson,
        };
        let mut facts = server();
        facts
            .variables
            .insert("max_connections".to_owned(), "151".to_owned());
        let mut config = run_config("update_key");
        config.connections = Connections::ByRate;
        assert_eq!(config.connections_of(&pace, &facts).get(), 200);
        config.server = Some("mysql://root@localhost/".parse().unwrap());
        assert_eq!(config.connections_of(&pace, &facts).get(), 75);
    }

    #[test]
    fn a_share_has_a_rate_once_the_capacity_is_known() {
        let share = Pacing::Share("50%".parse().unwrap(), Arrivals::Uniform);
        let window = Duration::from_secs(10);
        assert_eq!(share.offered_per_s(window, None), None);
        assert_eq!(share.offered_per_s(window, Some(3_000.0)), Some(1_500.0));
        assert_eq!((share.arrivals(), share.schedule()), ("uniform", None));
        let range = Pacing::Share("100..300/s:100".parse().unwrap(), Arrivals::Poisson);
        assert_eq!(range.schedule().as_deref(), Some("100..300/s:100"));
        assert_eq!(Pacing::Known(Pace::Closed).arrivals(), "closed");
    }
}
