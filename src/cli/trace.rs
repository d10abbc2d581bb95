//! Arguments of `logtrace trace`.

use std::path::{self, Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use clap::{ArgGroup, Args};
use logtrace_common::{Connection, Endpoint, Tls};
use logtrace_measure::runs::RUNS;
use logtrace_measure::trace::TraceConfig;
use logtrace_server::{ABSTRACT_SOCKET, ObservedChoice, is_remote, parse_dsn};

use super::check::{check_window, duration, whole_seconds};
use super::login::LoginArgs;
use super::shown::ShownArgs;
use super::tracing::TracingArgs;
use crate::exit::UsageError;

#[derive(Debug, Args)]
#[command(
    group(ArgGroup::new("which").args(["address", "pid", "unit", "data_dir", "socket"])),
    after_long_help = "\
Examples:
  sudo logtrace trace
      the only server of this machine, without a login, until Ctrl-C; lists the servers if there are several
  sudo logtrace trace --socket /run/mysqld/mysqld.sock --duration 30s
  sudo logtrace trace --unit mariadb
      without a login
  sudo logtrace trace mysql://monitor@127.0.0.1:3306/ --password-file monitor.pw --duration 1m --record

The server is not changed. Without an address or a socket logtrace does not even connect to it: it
reads the version and the places of data and logs from the memory of the process. A login needs no
privileges. It adds all variables and the changes of the status counters."
)]
pub(crate) struct TraceArgs {
    /// Process ID of a server on this machine, or its address, as mysql://USER@HOST/ [default: the only server of this machine].
    /// Options follow a question mark, with & between them:
    /// socket=PATH, ssl-mode=MODE and ssl-ca=FILE as in the mysql client, get-server-public-key=true, server-user=NAME.
    // A text: clap's errors repeat a value, and an address may hold a password by mistake.
    #[arg(value_name = "PID|mysql://...")]
    address: Option<String>,

    /// Process ID of the server. Needs no login.
    #[arg(long, value_name = "PID")]
    pid: Option<u32>,

    /// systemd unit of the server, as in mysql.service, or the name of another of its control groups, such as that of its
    /// container. Needs no login.
    #[arg(long, value_name = "NAME")]
    unit: Option<String>,

    /// Data directory of the server. Needs no login.
    #[arg(long, value_name = "DIR")]
    data_dir: Option<PathBuf>,

    /// Unix socket of the server.
    #[arg(long, value_name = "PATH")]
    socket: Option<PathBuf>,

    /// Account for --socket. root needs no password where the server accepts the user of the operating system
    /// (auth_socket, unix_socket).
    #[arg(long, value_name = "USER", default_value = "root", conflicts_with_all = ["pid", "unit", "data_dir", "address"])]
    user: String,

    /// Length of the trace. Default: until Ctrl-C.
    #[arg(long, value_name = "T", value_parser = duration)]
    duration: Option<Duration>,

    /// Write a line to stderr after each interval of this length: commits a second, percentiles of their durations, and the
    /// cause that took the most of their time.
    #[arg(long, value_name = "T", value_parser = whole_seconds, conflicts_with = "quiet")]
    report_interval: Option<u64>,

    #[command(flatten)]
    login: LoginArgs,

    #[command(flatten)]
    tracing: TracingArgs,

    #[command(flatten)]
    pub(crate) shown: ShownArgs,

    /// Directory in which run directories are created.
    #[arg(long, value_name = "DIR", default_value = RUNS)]
    out: PathBuf,
}

impl TraceArgs {
    /// Returns the checked configuration.
    pub(crate) fn config(&self) -> anyhow::Result<TraceConfig> {
        self.duration.map_or(Ok(()), check_window)?;
        Ok(TraceConfig {
            server: self.server()?,
            duration: self.duration,
            tracing: self.tracing.config(self.duration)?,
            report_every_s: self.report_interval,
            out: self.out.clone(),
        })
    }

    fn server(&self) -> anyhow::Result<ObservedChoice> {
        match self {
            Self { pid: Some(pid), .. } => Ok(ObservedChoice::Process(*pid)),
            Self { unit: Some(unit), .. } => Ok(ObservedChoice::Unit(unit.clone())),
            Self {
                data_dir: Some(path), ..
            } => Ok(ObservedChoice::DataDirectory(path.clone())),
            Self {
                socket: Some(path), ..
            } => self.at_socket(path),
            Self {
                address: Some(address),
                ..
            } => self.at_address(address),
            _ => Ok(ObservedChoice::Only),
        }
    }

    fn at_socket(&self, path: &Path) -> anyhow::Result<ObservedChoice> {
        if path.as_os_str().as_encoded_bytes().starts_with(b"@") {
            return Err(UsageError(format!("--socket: {ABSTRACT_SOCKET}")).into());
        }
        let connection = Connection {
            endpoint: Endpoint::Socket(path::absolute(path).context("--socket")?),
            user: self.user.clone(),
            password: None,
            database: None,
            tls: Tls::default(),
            server_uid: None,
        };
        Ok(ObservedChoice::Address(self.login.with_password(&connection)?))
    }

    fn at_address(&self, address: &str) -> anyhow::Result<ObservedChoice> {
        if let Ok(pid) = address.parse() {
            return Ok(ObservedChoice::Process(pid));
        }
        let connection = parse_dsn(address).map_err(|error| {
            UsageError(format!(
                "{error}. A number is a process; a unit, a data directory or a socket is named with --unit, --data-dir or \
                 --socket"
            ))
        })?;
        match is_remote(&connection.endpoint) {
            true => Err(elsewhere(&connection.endpoint).into()),
            false => Ok(ObservedChoice::Address(self.login.with_password(&connection)?)),
        }
    }
}

fn elsewhere(endpoint: &Endpoint) -> UsageError {
    UsageError(format!(
        "{endpoint} is not on this machine, and only a server's own machine can trace it: run `logtrace trace` there. A \
         server in a container of this machine is named by its process (--pid), its control group (--unit) or its socket"
    ))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::cli::{Cli, Command};

    /// The server that these arguments of `logtrace trace` name.
    fn server(arguments: &[&str]) -> anyhow::Result<ObservedChoice> {
        let words = ["logtrace", "trace"].iter().chain(arguments);
        match Cli::try_parse_from(words)?.command {
            Command::Trace(trace) => trace.server(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn no_name_is_the_only_server_and_a_number_a_process() {
        assert_eq!(server(&[]).unwrap(), ObservedChoice::Only);
        for way in [&["1234"][..], &["--pid", "1234"]] {
            assert_eq!(server(way).unwrap(), ObservedChoice::Process(1234));
        }
        assert!(server(&["1234", "--unit", "mysql"]).is_err());
        let ObservedChoice::Address(connection) = server(&["mysql://me@127.0.0.1/"]).unwrap() else {
            panic!("it is no address");
        };
        assert_eq!(connection.user, "me");
    }

    #[test]
    fn an_abstract_socket_is_refused_for_what_it_is() {
        for way in [
            &["--socket", "@mysql"][..],
            &["mysql://root@localhost/?socket=@mysql"],
        ] {
            let error = server(way).unwrap_err();
            assert!(error.is::<UsageError>(), "{error}");
            assert!(error.to_string().contains("an abstract socket"), "{error}");
            assert!(!error.to_string().contains("password"), "{error}");
        }
    }

    #[test]
    fn a_word_that_is_no_server_says_what_to_write() {
        for word in ["mysqld", "/run/mysqld/mysqld.sock", "99999999999"] {
            let error = server(&[word]).unwrap_err();
            assert!(error.is::<UsageError>(), "{word}: {error}");
            for words in ["it must start with mysql://", "A number is a process", "--socket"] {
                assert!(error.to_string().contains(words), "{word}: {error}");
            }
        }
    }
}
