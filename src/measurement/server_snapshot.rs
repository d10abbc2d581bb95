//! Facts about the measured server and the machine.

use std::collections::BTreeMap;
use std::time::Duration;

use logtrace_common::Connection;
use logtrace_report::document::Cpu;
use logtrace_server::{ControlGroupFacts, FileSystemFacts, HostFacts, Placed, ServerFacts, status_delta};
use logtrace_tracer::Detaching;

use super::tracing::Traced;

/// Facts about the server and the machine, and the trace.
#[derive(Debug)]
pub(crate) struct ServerSnapshot {
    /// Server at the start.
    pub(crate) server: ServerFacts,
    /// Connection to the server, or `None` without a login.
    pub(crate) connection: Option<Connection>,
    /// File system of the server's data.
    pub(crate) data: Option<FileSystemFacts>,
    /// Control group of the server's process, and its container.
    pub(crate) control_group: Option<ControlGroupFacts>,
    /// Machine of the server; `None` if it is another one.
    pub(crate) host: Option<HostFacts>,
    /// Change of `SHOW GLOBAL STATUS` over the window.
    pub(crate) status: BTreeMap<String, i64>,
    /// CPU time in the window; `None` until its end, and where it is not known.
    pub(crate) cpu: Option<Cpu>,
    pub(crate) traced: Option<Traced>,
}

/// Longest wait for the server's status, which must not hold up the results.
const STATUS_WITHIN: Duration = Duration::from_secs(5);

impl ServerSnapshot {
    /// Collects the facts before the measurement.
    pub(crate) fn before(server: &ServerFacts, connection: Option<&Connection>, placed: &[Placed]) -> Self {
        let data = server
            .process
            .as_deref()
            .zip(server.data_directory())
            .and_then(|(process, path)| FileSystemFacts::seen_by(process, &path).ok());
        // The facts of this machine say nothing about a server on another one.
        let mut host = match server.is_remote() {
            true => None,
            false => HostFacts::collect(&[], placed).ok(),
        };
        if let Some(host) = &mut host {
            host.file_systems.extend(data.clone());
        }
        Self {
            data,
            control_group: server.process.as_deref().and_then(ControlGroupFacts::of_process),
            host,
            server: server.clone(),
            connection: connection.cloned(),
            status: BTreeMap::new(),
            cpu: None,
            traced: None,
        }
    }

    /// Reads `SHOW GLOBAL STATUS`. Returns `None` without a login, or if the server does not answer in time.
    pub(crate) async fn status_now(connection: Option<&Connection>) -> Option<BTreeMap<String, String>> {
        tokio::time::timeout(STATUS_WITHIN, connection?.status())
            .await
            .ok()?
            .ok()
    }

    /// Returns the probes that are being detached, so that the caller can wait for them.
    pub(crate) fn take_detaching(&mut self) -> Option<Detaching> {
        self.traced.as_mut()?.detaching.take()
    }

    /// Notes the changes of the status since `before`.
    pub(crate) async fn take_status(&mut self, before: Option<&BTreeMap<String, String>>) {
        if let Some(before) = before
            && let Some(after) = Self::status_now(self.connection.as_ref()).await
        {
            self.status = status_delta(before, &after);
        }
    }
}
