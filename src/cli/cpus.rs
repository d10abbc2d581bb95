//! The option `--cpus`.

use std::str::FromStr;

use clap::Args;
use logtrace_measure::run::CpuPlacement;
use logtrace_server::{Cpus, ServerChoice};

use crate::exit::UsageError;

#[derive(Debug, Args)]
pub(crate) struct CpusArgs {
    /// Run the private server (server=0), or logtrace with its load and its tracer (client=1,3-4), on these CPUs alone. One or both
    /// may be given.
    #[arg(long, value_name = "WHO=CPUS", num_args = 1..=2)]
    cpus: Vec<CpusOf>,
}

/// CPUs of one side.
#[derive(Clone, Debug)]
enum CpusOf {
    Server(Cpus),
    Client(Cpus),
}

impl FromStr for CpusOf {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let unknown = || "write server=CPUS or client=CPUS, such as server=0 client=1".to_owned();
        let (who, cpus) = text.split_once('=').ok_or_else(unknown)?;
        let cpus = cpus.parse().map_err(|error| format!("{error}"));
        match who {
            "server" => cpus.map(Self::Server),
            "client" => cpus.map(Self::Client),
            _ => Err(unknown()),
        }
    }
}

impl CpusArgs {
    /// Returns the CPUs of both sides. Refuses CPUs for a server that already runs.
    pub(crate) fn placement(&self, server: Option<&ServerChoice>) -> anyhow::Result<CpuPlacement> {
        let mut of_server = None;
        let mut of_client = None;
        for cpus in &self.cpus {
            let (known, cpus) = match cpus {
                CpusOf::Server(cpus) => (&mut of_server, cpus),
                CpusOf::Client(cpus) => (&mut of_client, cpus),
            };
            if known.replace(cpus.clone()).is_some() {
                return Err(UsageError("--cpus: each side has one list of CPUs".to_owned()).into());
            }
        }
        if let (Some(_), Some(ServerChoice::Running(_))) = (&of_server, server) {
            let text = "--cpus server=...: a running server has its own CPUs. Give client=... alone";
            return Err(UsageError(text.to_owned()).into());
        }
        CpuPlacement::checked(of_server, of_client)
    }
}
