//! What to measure, checked.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use logtrace_driver::{Compat, Content, CustomWorkload, Dataset, Keys, Pace, Requests, SessionVariable};
use logtrace_server::{ChoiceError, Home, ServerChoice, Setting, SettingError};

use crate::cli::{RunArgs, TracingArgs, WorkloadChoice};
use crate::exit::{UsageError, with_causes};
use crate::measurement::{check_duration, checked_tracing};
use crate::run::config::pacing::{Pacing, contents};
use crate::run::config::storage::Storage;

/// Tables, unless it is said otherwise.
const TABLES: u32 = 4;
/// Rows of each, unless it is said otherwise.
const ROWS: u32 = 25_000;
/// How long a running server may refuse connections, unless it is said otherwise: long enough to start again.
const PATIENCE: Duration = Duration::from_secs(30);

/// A run that can be tried.
#[derive(Clone, Debug)]
pub(crate) struct RunConfig {
    /// What requests are.
    pub(crate) requests: Requests,
    /// Whether the consistency of the tables is checked.
    pub(crate) check: bool,
    /// Tables, keys and seed.
    pub(crate) dataset: Dataset,
    /// Connections.
    pub(crate) connections: NonZeroUsize,
    /// When requests start.
    pub(crate) pacing: Pacing,
    /// Time before the window.
    pub(crate) warmup: Duration,
    /// Length of the window.
    pub(crate) duration: Duration,
    /// Whether the last microseconds before a due time are waited for on the CPU.
    pub(crate) spin: bool,
    /// How long a request may take.
    pub(crate) deadline: Option<Duration>,
    /// How long a lost connection is tried to be made again.
    pub(crate) reconnect_for: Duration,
    /// Which server.
    pub(crate) server: Option<ServerChoice>,
    /// Variables of the server.
    pub(crate) settings: Vec<Setting>,
    /// Variables of the sessions that the load has.
    pub(crate) session: Vec<SessionVariable>,
    /// Whether the tables stay on a server that goes on.
    pub(crate) keep_tables: bool,
    /// Where a private server keeps its files.
    pub(crate) storage: Storage,
    /// Whether to trace.
    pub(crate) trace: bool,
    /// How to trace.
    pub(crate) tracing: TracingArgs,
    /// Where run directories are made.
    pub(crate) out: PathBuf,
    /// Where private servers are made.
    pub(crate) home: Home,
}

impl RunConfig {
    /// Checks what was typed.
    pub(crate) fn checked(arguments: &RunArgs) -> anyhow::Result<Self> {
        arguments.duration.map_or(Ok(()), check_duration)?;
        let (pacing, duration) = Pacing::checked(arguments)?;
        check_duration(duration)?;
        let server = server(arguments)?;
        let storage = Storage::checked(&arguments.storage, server.as_ref(), &arguments.settings)?;
        let connections = usize::try_from(arguments.connections)
            .ok()
            .and_then(NonZeroUsize::new);
        Ok(Self {
            requests: requests(arguments, &pacing)?,
            check: arguments.workload.check,
            dataset: dataset(arguments),
            connections: connections.context("--connections must be at least 1")?,
            pacing,
            warmup: arguments.warmup,
            duration,
            spin: arguments.spin,
            deadline: checked_deadline(arguments.deadline)?,
            reconnect_for: arguments.reconnect.unwrap_or(match &server {
                Some(ServerChoice::Running(_)) => PATIENCE,
                _ => Duration::ZERO,
            }),
            server,
            settings: arguments.settings.clone(),
            session: arguments.session.clone(),
            keep_tables: arguments.keep_tables,
            storage,
            trace: !arguments.no_trace,
            tracing: checked_tracing(arguments.tracing, Some(duration))?,
            out: arguments.out.clone(),
            home: arguments.home.home(),
        })
    }

    /// The settings of the server: those that were asked for, and room for all connections, the loader's and those of
    /// an administrator, and for the statements that they prepare, where the server has none.
    pub(crate) fn server_settings(&self) -> Vec<Setting> {
        const ROOM: usize = 51;
        // Both servers' defaults.
        const CONNECTIONS: usize = 151;
        const STATEMENTS: usize = 16_382;
        // MySQL takes no more.
        const MOST_STATEMENTS: usize = 4_194_304;
        let connections = self.connections.get();
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

    /// Whether logtrace starts the server itself.
    pub(crate) fn is_private(&self) -> bool {
        !matches!(self.server, Some(ServerChoice::Running(_)))
    }
}

/// Shorter ones than the driver's timer can tell would fail requests that were in time.
fn checked_deadline(deadline: Option<Duration>) -> anyhow::Result<Option<Duration>> {
    const SHORTEST: Duration = Duration::from_millis(10);
    if deadline.is_some_and(|deadline| deadline < SHORTEST) {
        return Err(UsageError(format!("--deadline must be at least {SHORTEST:?}")).into());
    }
    Ok(deadline)
}

/// The tables and keys that were named, and for the others the defaults of `--compat` or of logtrace.
fn dataset(arguments: &RunArgs) -> Dataset {
    let compat = arguments.workload.compat.and_then(Compat::tables);
    let tables = compat.map_or(TABLES, |compat| compat.tables);
    let rows = compat.map_or(ROWS, |compat| compat.rows);
    let keys = compat.map_or(Keys::Uniform, |compat| compat.keys);
    Dataset {
        tables: arguments.tables.unwrap_or(tables),
        rows: arguments.rows.unwrap_or(rows),
        keys: arguments.keys.unwrap_or(keys),
        seed: arguments.seed,
    }
}

/// The workload, with options that it can have.
fn requests(arguments: &RunArgs, pacing: &Pacing) -> Result<Requests, UsageError> {
    let options = arguments.workload.options(*pacing == Pacing::Known(Pace::Closed));
    let requests = match &arguments.workload.workload {
        WorkloadChoice::Known(workload) => Requests::new(workload, &options),
        WorkloadChoice::File(file) => Requests::of_file(custom(file)?, &options),
    };
    let requests = requests.map_err(|error| UsageError(error.to_string()))?;
    let of_sysbench = matches!(requests.content(), Content::Script(_));
    let of_tpcc = requests.tpcc().is_some();
    let known = [
        ("--tables", arguments.tables.is_some(), of_sysbench),
        ("--rows", arguments.rows.is_some(), of_sysbench),
        ("--keys", arguments.keys.is_some(), of_sysbench),
        ("--keep-tables", arguments.keep_tables, of_sysbench),
        ("--check", arguments.workload.check, of_tpcc),
    ];
    match known
        .into_iter()
        .find(|(_, is_given, is_known)| *is_given && !is_known)
    {
        Some((option, ..)) => Err(UsageError(requests.refuse(option).to_string())),
        None => Ok(requests),
    }
}

/// The workload of a file, checked as far as that goes without a server.
fn custom(file: &Path) -> Result<CustomWorkload, UsageError> {
    let text = contents("--workload", file)?;
    let custom = CustomWorkload::read(&file.display().to_string(), &text);
    custom.map_err(|error| UsageError(format!("--workload {error}")))
}

/// The choice of the server, with settings that it can have.
fn server(arguments: &RunArgs) -> Result<Option<ServerChoice>, UsageError> {
    let choice = arguments.server.as_deref().map(str::parse).transpose();
    let choice =
        choice.map_err(|error: ChoiceError| UsageError(format!("--server: {}", with_causes(error))))?;
    if arguments.keep_tables && !matches!(choice, Some(ServerChoice::Running(_))) {
        return Err(UsageError(
            "--keep-tables: a private server goes with its run, and its tables with it. Name a server that runs \
             already with --server mysql://..."
                .to_owned(),
        ));
    }
    let reserved = arguments.settings.iter().find(|setting| setting.is_reserved());
    match (&choice, reserved) {
        (None | Some(ServerChoice::Flavor(_) | ServerChoice::Binary(_)), Some(setting)) => Err(UsageError(
            SettingError::Reserved(setting.name().to_owned()).to_string(),
        )),
        _ => Ok(choice),
    }
}
