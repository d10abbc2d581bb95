//! CPUs of the server and of logtrace.

use anyhow::Context;
use logtrace_server::Cpus;

use crate::errors::UsageError;

/// CPUs of the server and of logtrace; those that are not chosen are all that logtrace may use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CpuPlacement {
    /// CPUs of a private server.
    pub server: Option<Cpus>,
    /// CPUs of logtrace, with its load and its tracer.
    pub client: Option<Cpus>,
}

impl CpuPlacement {
    /// Returns the placement. Refuses CPUs that logtrace may not use.
    pub fn checked(server: Option<Cpus>, client: Option<Cpus>) -> anyhow::Result<Self> {
        if server.is_none() && client.is_none() {
            return Ok(Self::default());
        }
        let allowed = Cpus::allowed().context("cannot read the CPUs that logtrace may use")?;
        for cpus in [&server, &client].into_iter().flatten() {
            if let Some(missing) = cpus.without(&allowed) {
                let text = format!("--cpus: CPU {missing} is none of those that logtrace may use, {allowed}");
                return Err(UsageError(text).into());
            }
        }
        // Or the server would have those of logtrace, which starts it.
        let server = server.or(Some(allowed));
        Ok(Self { server, client })
    }

    /// Returns the values of `--cpus`; none if nothing was chosen.
    pub fn arguments(&self) -> Vec<String> {
        let sides = [("server", &self.server), ("client", &self.client)];
        let chosen = sides
            .iter()
            .filter_map(|(who, cpus)| Some(format!("{who}={}", cpus.as_ref()?)));
        chosen.collect()
    }

    /// Makes logtrace run on its CPUs. Call it before there are other threads.
    pub fn take_client(&self) -> anyhow::Result<()> {
        let taken = self.client.as_ref().map_or(Ok(()), Cpus::take);
        taken.context("cannot run on the CPUs of --cpus client")
    }
}
