//! A server that is measured, and what was seen of it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use logtrace_common::Connection;
use logtrace_server::{FileSystemFacts, HostFacts, Placed, ServerFacts, status_delta};
use logtrace_tracer::Detaching;

use super::tracing::Traced;

/// Everything that is known of the server and of the machine before it is put together.
#[derive(Debug)]
pub(crate) struct Observed {
    /// The server as it was.
    pub(crate) server: ServerFacts,
    /// How to connect to it, where that is known.
    pub(crate) connection: Option<Connection>,
    /// File system of the server's data.
    pub(crate) data: Option<FileSystemFacts>,
    /// The machine.
    pub(crate) host: Option<HostFacts>,
    /// Change of `SHOW GLOBAL STATUS` over the window.
    pub(crate) status: BTreeMap<String, i64>,
    /// What the tracer saw.
    pub(crate) traced: Option<Traced>,
}

/// How long the server's status is waited for: it is told along with the numbers, and shall not hold them up.
const STATUS_WITHIN: Duration = Duration::from_secs(5);

impl Observed {
    /// Looks at the server, at the places of its files, and at the machine; nothing is measured yet.
    pub(crate) fn before(server: &ServerFacts, connection: Option<&Connection>, placed: &[Placed]) -> Self {
        let data_dir = server.variables.get("datadir").map(PathBuf::from);
        let data = data_dir.and_then(|path| FileSystemFacts::seen_by(server.pid, &path).ok());
        let mut host = HostFacts::collect(&[], placed).ok();
        if let Some(host) = &mut host {
            host.file_systems.extend(data.clone());
        }
        Self {
            data,
            host,
            server: server.clone(),
            connection: connection.cloned(),
            status: BTreeMap::new(),
            traced: None,
        }
    }

    /// Where the server's data is.
    pub(crate) fn data_directory(&self) -> PathBuf {
        self.server
            .variables
            .get("datadir")
            .map(PathBuf::from)
            .unwrap_or_default()
    }

    /// `SHOW GLOBAL STATUS` of now, unless the server cannot be asked or takes long.
    pub(crate) async fn status_now(connection: Option<&Connection>) -> Option<BTreeMap<String, String>> {
        tokio::time::timeout(STATUS_WITHIN, connection?.status())
            .await
            .ok()?
            .ok()
    }

    /// The probes of the tracer that are being detached, for somebody else to wait for.
    pub(crate) fn take_detaching(&mut self) -> Option<Detaching> {
        self.traced.as_mut()?.detaching.take()
    }

    /// Takes the change of the status since `before`, if it is known.
    pub(crate) async fn take_status(&mut self, before: Option<&BTreeMap<String, String>>) {
        if let Some(before) = before
            && let Some(after) = Self::status_now(self.connection.as_ref()).await
        {
            self.status = status_delta(before, &after);
        }
    }
}
