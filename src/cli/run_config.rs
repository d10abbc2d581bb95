//! The checked configuration of a run, from its arguments.

use std::num::NonZeroUsize;
use std::path::Path;
use std::time::Duration;

use logtrace_common::InputKind;
use logtrace_driver::{Compat, Content, CustomWorkload, Dataset, Keys, Pace, Requests};
use logtrace_measure::run::{Connections, Pacing, RunConfig};
use logtrace_server::{ServerChoice, ServerError, SettingError, check_path_values, is_reserved};

use super::check::{check_deadline, check_window};
use super::pacing::{pacing, read_file};
use super::run::RunArgs;
use super::workload::WorkloadChoice;
use crate::exit::{UsageError, with_causes};

/// Default number of tables.
const TABLES: u32 = 4;

/// Default number of rows in each table.
const ROWS: u32 = 25_000;

/// Default time to keep reconnecting to a running server: long enough for a restart.
const RECONNECT_FOR: Duration = Duration::from_secs(30);

impl RunArgs {
    /// Returns the checked configuration. Reads the files that options name.
    pub(crate) fn config(&self) -> anyhow::Result<RunConfig> {
        self.duration.map_or(Ok(()), check_window)?;
        self.deadline.map_or(Ok(()), check_deadline)?;
        let (pacing, duration) = pacing(self)?;
        check_window(duration)?;
        let server = self.server()?;
        let is_remote = server.as_ref().is_some_and(ServerChoice::is_remote);
        if let (true, Some(option)) = (is_remote, self.tracing.needs_tracing()) {
            return Err(not_traced(option).into());
        }
        let storage = self.storage.storage(server.as_ref(), &self.settings)?;
        if !matches!(server, Some(ServerChoice::Running(_))) {
            check_path_values(&self.settings, &storage)
                .map_err(|error| UsageError(format!("--set {error}")))?;
        }
        Ok(RunConfig {
            requests: self.requests(&pacing)?,
            check: self.workload.check,
            dataset: self.dataset(),
            connections: self.connections(),
            pacing,
            warmup: self.warmup,
            duration,
            spin: self.spin,
            deadline: self.deadline,
            reconnect_for: self.reconnect.unwrap_or(match &server {
                Some(ServerChoice::Running(_)) => RECONNECT_FOR,
                _ => Duration::ZERO,
            }),
            cpus: self.cpus.placement(server.as_ref())?,
            server,
            settings: self.settings.clone(),
            session: self.session.clone(),
            keep_tables: self.keep_tables,
            storage,
            trace: !self.no_trace && !is_remote,
            is_remote,
            tracing: self.tracing.config(Some(duration))?,
            report_every_s: self.report_interval,
            out: self.out.clone(),
            home: self.home.home(),
        })
    }

    fn connections(&self) -> Connections {
        let number = self.connections.and_then(|number| usize::try_from(number).ok());
        number
            .and_then(NonZeroUsize::new)
            .map_or(Connections::ByRate, Connections::Fixed)
    }

    /// Returns the tables and keys, with the defaults of `--compat` or of logtrace for options that are not given.
    fn dataset(&self) -> Dataset {
        let compat = self.workload.compat.and_then(Compat::tables);
        let (tables, rows, keys) = compat.map_or((TABLES, ROWS, Keys::Uniform), |compat| {
            (compat.tables, compat.rows, compat.keys)
        });
        Dataset {
            tables: self.tables.unwrap_or(tables),
            rows: self.rows.unwrap_or(rows),
            keys: self.keys.unwrap_or(keys),
            seed: self.seed,
        }
    }

    /// Returns the workload. Refuses options that it does not have.
    fn requests(&self, pacing: &Pacing) -> Result<Requests, UsageError> {
        let options = self.workload.options(*pacing == Pacing::Known(Pace::Closed));
        let requests = match &self.workload.workload {
            WorkloadChoice::Known(workload) => Requests::new(workload, &options),
            WorkloadChoice::File(file) => Requests::of_file(read_workload(file)?, &options),
        };
        let requests = requests.map_err(|error| UsageError(error.to_string()))?;
        let is_sysbench = matches!(requests.content(), Content::Script(_));
        let is_tpcc = requests.tpcc().is_some();
        let options = [
            ("--tables", self.tables.is_some(), is_sysbench),
            ("--rows", self.rows.is_some(), is_sysbench),
            ("--keys", self.keys.is_some(), is_sysbench),
            ("--keep-tables", self.keep_tables, is_sysbench),
            ("--check", self.workload.check, is_tpcc),
        ];
        match options
            .into_iter()
            .find(|(_, is_given, is_known)| *is_given && !is_known)
        {
            Some((option, ..)) => Err(UsageError(requests.refuse(option).to_string())),
            None => Ok(requests),
        }
    }

    /// Returns the choice of the server. Refuses settings that logtrace chooses itself.
    fn server(&self) -> Result<Option<ServerChoice>, UsageError> {
        let choice = self.server.as_deref().map(str::parse).transpose();
        let choice =
            choice.map_err(|error: ServerError| UsageError(format!("--server: {}", with_causes(error))))?;
        let is_running = matches!(choice, Some(ServerChoice::Running(_)));
        if self.keep_tables && !is_running {
            return Err(UsageError(
                "--keep-tables: a private server is removed after its run, with its tables. Name a running server with \
                 --server mysql://..."
                    .to_owned(),
            ));
        }
        let choice = match choice {
            Some(ServerChoice::Running(connection)) => {
                Some(ServerChoice::Running(self.login.with_password(&connection)?))
            }
            choice => choice,
        };
        match self.settings.iter().find(|setting| is_reserved(setting)) {
            Some(setting) if !is_running => Err(UsageError(
                SettingError::Reserved(setting.name().to_owned()).to_string(),
            )),
            _ => Ok(choice),
        }
    }
}

fn not_traced(option: &str) -> UsageError {
    UsageError(format!(
        "{option}: a server on another machine is not traced from here. Give {option} to `logtrace trace` on its machine"
    ))
}

/// Reads the workload of a file, and checks it as far as possible without a server.
fn read_workload(file: &Path) -> Result<CustomWorkload, UsageError> {
    let text = read_file("--workload", file, InputKind::Workload)?;
    let custom = CustomWorkload::read(&file.display().to_string(), &text);
    custom.map_err(|error| UsageError(format!("--workload {error}")))
}
