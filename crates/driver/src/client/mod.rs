//! Connections to the server.
//!
//! Requests go over [`Conn`], a small client on `mysql_common`. Everything that is not measured (tables, checks)
//! goes over `mysql_async`.
//!
//! The client for requests is code of our own although `mysql_async` exists, because what a client does on the server's CPUs
//! looks like the server's work. tokio's sockets, which `mysql_async` uses and hides, wake a client once more for each
//! request (see `socket`); `mysql` hides its sockets, too. `scripts/client-cost --against mysql_async` compares both:
//! the same UPDATEs at the same due times, one thread each, 8 connections, 12 rounds of windows of 3 s, two CPUs, nothing
//! else running, 28 and 29 November 2026. CPU time a request, `mysql_async` to this client (95 %), and this client a
//! second time as a control:
//!
//! - MySQL 9.7.4, 500/s: 1.16 (1.11 to 1.21), control 0.96 (0.93 to 1.02)
//! - the same, 2,000/s: 1.18 (1.10 to 1.23), control 0.99 (0.93 to 1.04)
//! - MariaDB 10.11.19, 500/s: 1.26 (1.13 to 1.29), control 1.03 (1.00 to 1.10)
//! - the same, 2,000/s: 1.15 (1.13 to 1.28), control 0.97 (0.93 to 1.07)
//!
//! This client saves 6 to 10 us of CPU a request. The series show no difference in the medians of service time and lag, but
//! for MySQL's service time at 500/s: 1.04 (1.01 to 1.10), control 0.97 (0.90 to 1.06).

#[cfg(test)]
mod fuzz;
#[cfg_attr(
    not(test),
    deny(
        clippy::arithmetic_side_effects,
        clippy::indexing_slicing,
        clippy::string_slice
    )
)]
mod handshake;
mod packets;
#[cfg_attr(
    not(test),
    deny(
        clippy::arithmetic_side_effects,
        clippy::indexing_slicing,
        clippy::string_slice
    )
)]
mod public_key;
#[cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice))]
mod result_set;
pub(crate) mod server_thread;
pub(crate) mod session_check;
mod socket;
pub(crate) mod target;
pub(crate) mod thread_numbers;
mod tls;

use logtrace_common::{ConnectError, Connection};
use mysql_async::prelude::FromRow;
use mysql_async::{DriverError, Error, Row, Value};
use mysql_common::constants::CapabilityFlags;
use mysql_common::io::ParseBuf;
use mysql_common::packets::{ComStmtExecuteRequestBuilder, StmtPacket};
use mysql_common::proto::MySerialize;

use crate::client::handshake::log_in;
use crate::client::packets::PacketStream;
use crate::client::result_set::{
    Encoding, closing_packets, rows, server_error, skip, skip_packets, unreadable,
};
use crate::client::socket::Socket;

const COM_QUIT: u8 = 0x01;
const COM_QUERY: u8 = 0x03;
const COM_STMT_PREPARE: u8 = 0x16;

/// Connection to a server.
///
/// It cannot be used after an error that did not come from the server, or after one of its futures was dropped early.
pub struct Conn {
    wire: PacketStream,
    capabilities: CapabilityFlags,
    /// Buffer of the command, reused so that a request allocates nothing.
    command: Vec<u8>,
    /// Texts of the prepared statements by their number, for messages.
    prepared: Vec<(u32, String)>,
    /// First statement that failed since this was last taken.
    failed: Option<String>,
}

/// Statement that is prepared on one connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatementHandle {
    id: u32,
    parameters: u16,
}

/// Statement with its values.
pub enum Call {
    /// Prepared statement, executed with binary parameters.
    Execute(StatementHandle, Vec<Value>),
    /// Text that includes the values.
    Query(String),
}

impl Conn {
    /// Connects and logs in.
    pub async fn connect(connection: &Connection, database: Option<&str>) -> Result<Self, ConnectError> {
        let logged_in = async {
            let socket = Socket::connect(&connection.endpoint, connection.server_uid).await?;
            log_in(PacketStream::new(socket), connection, database).await
        };
        let (wire, capabilities) = logged_in.await.map_err(|reason| connection.explain(reason))?;
        Ok(Self::on(wire, capabilities))
    }

    /// Returns the connection on a stream that is logged in.
    pub(crate) fn on(wire: PacketStream, capabilities: CapabilityFlags) -> Self {
        Self {
            wire,
            capabilities,
            command: Vec::new(),
            prepared: Vec::new(),
            failed: None,
        }
    }

    /// Sends a statement, and drops its rows.
    pub async fn execute(&mut self, call: &Call) -> Result<(), Error> {
        let executed = async {
            self.send(call).await?;
            skip(&mut self.wire, self.capabilities).await
        };
        executed.await.inspect_err(|_| self.note_failed(call))
    }

    /// Sends a statement, and returns its rows.
    pub async fn rows(&mut self, call: &Call) -> Result<Vec<Row>, Error> {
        let answered = async {
            let encoding = self.send(call).await?;
            rows(&mut self.wire, self.capabilities, encoding).await
        };
        answered.await.inspect_err(|_| self.note_failed(call))
    }

    /// Returns the first statement that failed since this was last called, as it was sent: what comes after it, such as a
    /// ROLLBACK, fails because of it.
    pub(crate) fn take_failed(&mut self) -> Option<String> {
        self.failed.take()
    }

    fn note_failed(&mut self, call: &Call) {
        if self.failed.is_some() {
            return;
        }
        self.failed = match call {
            Call::Query(sql) => Some(sql.clone()),
            Call::Execute(statement, _) => {
                let mut prepared = self.prepared.iter();
                let is_it = |(id, _): &&(u32, String)| *id == statement.id;
                prepared.find(is_it).map(|(_, sql)| sql.clone())
            }
        };
    }

    /// Sends a statement as text, and returns its first row.
    pub(crate) async fn query_first<T: FromRow>(&mut self, sql: &str) -> Result<Option<T>, Error> {
        self.first_row(&Call::Query(sql.to_owned())).await
    }

    /// Sends a statement, and returns its first row. The others are not converted.
    pub(crate) async fn first_row<T: FromRow>(&mut self, call: &Call) -> Result<Option<T>, Error> {
        let rows = self.rows(call).await?;
        rows.into_iter().next().map(converted).transpose()
    }

    /// Prepares a statement.
    pub async fn prepare(&mut self, sql: &str) -> Result<StatementHandle, Error> {
        self.send_text(COM_STMT_PREPARE, sql).await?;
        let packet = self.wire.receive().await?;
        if packet.first() == Some(&0xff) {
            let refused = server_error(packet);
            self.failed.get_or_insert_with(|| sql.to_owned());
            return Err(refused);
        }
        let prepared: StmtPacket = ParseBuf(packet).parse(()).map_err(unreadable)?;
        for definitions in [prepared.num_params(), prepared.num_columns()] {
            if definitions > 0 {
                let packets = u64::from(definitions) + closing_packets(self.capabilities);
                skip_packets(&mut self.wire, packets).await?;
            }
        }
        self.prepared.push((prepared.statement_id(), sql.to_owned()));
        Ok(StatementHandle {
            id: prepared.statement_id(),
            parameters: prepared.num_params(),
        })
    }

    /// Closes the connection.
    pub async fn disconnect(mut self) -> Result<(), Error> {
        self.wire.command(&[COM_QUIT]).await
    }

    async fn send_text(&mut self, command: u8, sql: &str) -> Result<(), Error> {
        self.command.clear();
        self.command.push(command);
        self.command.extend_from_slice(sql.as_bytes());
        self.wire.command(&self.command).await
    }

    /// Sends a statement. Returns the encoding of its rows.
    async fn send(&mut self, call: &Call) -> Result<Encoding, Error> {
        let (statement, values) = match call {
            Call::Query(sql) => {
                self.send_text(COM_QUERY, sql).await?;
                return Ok(Encoding::Text);
            }
            Call::Execute(statement, values) => (statement, values),
        };
        if values.len() != usize::from(statement.parameters) {
            return Err(Error::Driver(DriverError::StmtParamsMismatch {
                required: statement.parameters,
                supplied: values.len(),
            }));
        }
        self.command.clear();
        let (request, in_pieces) = ComStmtExecuteRequestBuilder::new(statement.id).build(values);
        if in_pieces {
            return Err(Error::Driver(DriverError::PacketTooLarge));
        }
        request.serialize(&mut self.command);
        self.wire.command(&self.command).await?;
        Ok(Encoding::Binary)
    }
}

/// Converts a row into a tuple.
pub(crate) fn converted<T: FromRow>(row: Row) -> Result<T, Error> {
    T::from_row_opt(row).map_err(|error| Error::Driver(DriverError::FromRow { row: error.0 }))
}
