//! Connection for requests, on the protocol types of `mysql_common`.

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
}

/// Statement that is prepared on one connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statement {
    id: u32,
    parameters: u16,
}

/// Statement with its values.
pub enum Call {
    /// Prepared statement, executed with binary parameters.
    Execute(Statement, Vec<Value>),
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
        }
    }

    /// Sends a statement, and drops its rows.
    pub async fn execute(&mut self, call: &Call) -> Result<(), Error> {
        self.send(call).await?;
        skip(&mut self.wire, self.capabilities).await
    }

    /// Sends a statement, and returns its rows.
    pub async fn rows(&mut self, call: &Call) -> Result<Vec<Row>, Error> {
        let encoding = self.send(call).await?;
        rows(&mut self.wire, self.capabilities, encoding).await
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
    pub async fn prepare(&mut self, sql: &str) -> Result<Statement, Error> {
        self.send_text(COM_STMT_PREPARE, sql).await?;
        let packet = self.wire.receive().await?;
        if packet.first() == Some(&0xff) {
            return Err(server_error(packet));
        }
        let prepared: StmtPacket = ParseBuf(packet).parse(()).map_err(unreadable)?;
        for definitions in [prepared.num_params(), prepared.num_columns()] {
            if definitions > 0 {
                let packets = u64::from(definitions) + closing_packets(self.capabilities);
                skip_packets(&mut self.wire, packets).await?;
            }
        }
        Ok(Statement {
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
