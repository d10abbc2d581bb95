//! First contact with a running server: its process, its facts.

use anyhow::Context;

use crate::connection::locality::is_remote;
use crate::connection::server_process::server_process;
use crate::error::ServerError;
use crate::facts::server::ServerFacts;
use crate::process::pidfd::ProcessWatch;
use logtrace_common::Connection;
use logtrace_common::process::ProcessHandle;

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
/// before the login, and each connection after that must lead to a process of the same user. What answers on another
/// machine cannot be checked so: there only a verified certificate tells who it is.
pub(crate) async fn reach(connection: &Connection) -> Result<Reached, ServerError> {
    let mut connection = connection.clone();
    let peer = match is_remote(&connection.endpoint) {
        true => None,
        false => Some(server_process(&connection).await?),
    };
    connection.server_uid = peer.as_ref().map(|peer| peer.uid);
    let process = peer.map(|peer| peer.process);
    let connection = connection.resolved().await?;
    connection.check().await?;
    Ok(Reached {
        watch: process.as_deref().map(watch).transpose()?,
        facts: ServerFacts::collect(&connection, process, false).await?,
        connection,
    })
}

/// Starts to watch the process of a server.
pub(crate) fn watch(process: &ProcessHandle) -> anyhow::Result<ProcessWatch> {
    let watch = ProcessWatch::of(process);
    watch.with_context(|| format!("cannot watch the server's process {}", process.pid()))
}
