//! First contact with a running server: its process, its facts.

use anyhow::Context;

use crate::connection::listener_pid::server_process;
use crate::connection::locality::is_remote;
use crate::error::ServerError;
use crate::facts::server::ServerFacts;
use crate::process::pidfd::ProcessWatch;
use logtrace_common::Connection;

/// Running server that accepted a login.
#[derive(Debug)]
pub(crate) struct Reached {
    /// Address and account, with the encryption and the user of the server as they were found.
    pub(crate) connection: Connection,
    pub(crate) facts: ServerFacts,
    /// Watch on the process; `None` on another machine.
    pub(crate) watch: Option<ProcessWatch>,
}

/// Connects to a running server of this machine or another one, and reads its facts. A process of this machine is checked
/// before the login.
pub(crate) async fn reach(connection: &Connection) -> Result<Reached, ServerError> {
    let mut connection = connection.clone();
    let mut pid = None;
    if !is_remote(&connection.endpoint) {
        let peer = server_process(&connection).await?;
        connection.server_uid = Some(peer.uid);
        pid = Some(peer.pid);
    }
    let connection = connection.resolved().await?;
    connection.check().await?;
    Ok(Reached {
        facts: ServerFacts::collect(&connection, pid, false).await?,
        watch: pid.map(watch).transpose()?,
        connection,
    })
}

/// Starts to watch the process of a server.
pub(crate) fn watch(pid: u32) -> anyhow::Result<ProcessWatch> {
    ProcessWatch::new(pid).with_context(|| format!("cannot watch the server's process {pid}"))
}
