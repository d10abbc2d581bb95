//! Facts about the measured server and the machine.

use std::collections::BTreeMap;
use std::time::Duration;

use logtrace_common::{ConnectError, Connection};
use logtrace_report::document::Cpu;
use logtrace_server::{
    ControlGroupFacts, FileSystemFacts, HostFacts, PlacedClass, ServerFacts, status_delta,
};
use logtrace_tracer::Detaching;
use tokio::time::timeout;

use super::namer::{LentConn, NamedThreads, Namer};
use super::tracing::Traced;

/// Facts about the server and the machine, and the trace.
#[derive(Debug)]
pub struct ServerSnapshot {
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
    /// Connections of threads that stand out.
    pub(crate) named: NamedThreads,
}

/// Status at the start of a window, with the connection that it came by. The status at the end comes by the same one: the
/// counters would have the statements of another login.
#[derive(Debug)]
pub struct StatusAtStart {
    connection: Connection,
    conn: LentConn,
    values: BTreeMap<String, String>,
}

/// Longest wait for the server's status, which must not hold up the results.
const STATUS_WITHIN: Duration = Duration::from_secs(5);

impl ServerSnapshot {
    /// Collects the facts before the measurement.
    pub(crate) fn before(
        server: &ServerFacts,
        connection: Option<&Connection>,
        placed: &[PlacedClass],
    ) -> Self {
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
            named: NamedThreads::default(),
        }
    }

    /// Returns the probes that are being detached, so that the caller can wait for them.
    pub fn take_detaching(&mut self) -> Option<Detaching> {
        self.traced.as_mut()?.detaching.take()
    }

    /// Notes the connections of threads that stand out, if there was a namer. Those that are listed are read now, as far as they
    /// still live.
    pub(crate) async fn take_names(&mut self, namer: Option<Namer>) {
        let listed = self.traced.as_ref().map(Traced::held_threads);
        if let Some(namer) = namer {
            self.named = namer.finish(listed.unwrap_or_default()).await;
        }
    }

    /// Notes the changes of the status since `start`, if the server answers in time.
    pub(crate) async fn take_status(&mut self, start: Option<StatusAtStart>) {
        if let Some(start) = start
            && let Ok(Ok(changes)) = timeout(STATUS_WITHIN, start.changes()).await
        {
            self.status = changes;
        }
    }
}

impl StatusAtStart {
    /// Reads `SHOW GLOBAL STATUS`. Returns `None` without a login, or if the server does not answer in time.
    pub(crate) async fn read(connection: Option<&Connection>) -> Option<Self> {
        let connection = connection?.clone();
        let reading = async {
            let mut conn = connection.connect().await?;
            let values = connection.status_by(&mut conn).await?;
            Ok::<_, ConnectError>((conn, values))
        };
        let (conn, values) = timeout(STATUS_WITHIN, reading).await.ok()?.ok()?;
        Some(Self {
            connection,
            conn: LentConn::new(conn),
            values,
        })
    }

    /// Returns the connection, which serves one question after another.
    pub(crate) fn conn(&self) -> LentConn {
        self.conn.clone()
    }

    /// Reads the status again, by a new login if the connection broke. Returns the changes.
    async fn changes(self) -> Result<BTreeMap<String, i64>, ConnectError> {
        let mut conn = self.conn.lend().await;
        let now = match conn.as_mut() {
            Some(conn) => self.connection.status_by(conn).await.ok(),
            None => None,
        };
        let now = match now {
            Some(now) => now,
            None => {
                *conn = None;
                self.connection.status().await?
            }
        };
        Ok(status_delta(&self.values, &now))
    }
}
