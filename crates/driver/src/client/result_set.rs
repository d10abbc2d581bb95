//! Answers of a server to a command.

use std::io;
use std::sync::Arc;

use mysql_async::{Column, DriverError, Error, IoError, Row, ServerError};
use mysql_common::constants::{CapabilityFlags, MAX_PAYLOAD_LEN, StatusFlags};
use mysql_common::io::ParseBuf;
use mysql_common::packets::{
    CommonOkPacket, ErrPacket, OkPacketDeserializer, OldEofPacket, ResultSetTerminator,
};
use mysql_common::proto::{Binary, Text};
use mysql_common::row::RowDeserializer;
use mysql_common::value::ServerSide;

use crate::client::packets::PacketStream;

/// Encoding of the values in rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// Text, for statements sent as text.
    Text,
    /// Binary, for prepared statements.
    Binary,
}

/// Reads the whole answer and drops its rows.
pub(crate) async fn skip(wire: &mut PacketStream, capabilities: CapabilityFlags) -> Result<(), Error> {
    let mut left = true;
    while left {
        let first = wire.receive().await?;
        let status = match opening(first, capabilities)? {
            Opening::Done(status) => status,
            Opening::Columns(columns) => {
                skip_packets(wire, columns + closing_packets(capabilities)).await?;
                loop {
                    if let Some(status) = end_of_rows(wire.receive().await?, capabilities)? {
                        break status;
                    }
                }
            }
        };
        left = status.contains(StatusFlags::SERVER_MORE_RESULTS_EXISTS);
    }
    Ok(())
}

/// Reads the whole answer, and returns the rows of its first result.
pub(crate) async fn rows(
    wire: &mut PacketStream,
    capabilities: CapabilityFlags,
    encoding: Encoding,
) -> Result<Vec<Row>, Error> {
    let mut rows = Vec::new();
    let first = wire.receive().await?;
    let status = match opening(first, capabilities)? {
        Opening::Done(status) => status,
        Opening::Columns(columns) => {
            let columns = read_columns(wire, columns).await?;
            skip_packets(wire, closing_packets(capabilities)).await?;
            loop {
                let packet = wire.receive().await?;
                match end_of_rows(packet, capabilities)? {
                    Some(status) => break status,
                    None => rows.push(row(packet, &columns, encoding)?),
                }
            }
        }
    };
    if status.contains(StatusFlags::SERVER_MORE_RESULTS_EXISTS) {
        skip(wire, capabilities).await?;
    }
    Ok(rows)
}

/// Reads packets and drops them.
pub(crate) async fn skip_packets(wire: &mut PacketStream, packets: u64) -> Result<(), Error> {
    for _ in 0..packets {
        wire.receive().await?;
    }
    Ok(())
}

/// Returns the number of packets that close a list of definitions.
pub(crate) fn closing_packets(capabilities: CapabilityFlags) -> u64 {
    u64::from(!capabilities.contains(CapabilityFlags::CLIENT_DEPRECATE_EOF))
}

/// First packet of an answer.
enum Opening {
    /// Answer without rows.
    Done(StatusFlags),
    /// Number of columns; their definitions and the rows follow.
    Columns(u64),
}

fn opening(packet: &[u8], capabilities: CapabilityFlags) -> Result<Opening, Error> {
    match packet.first() {
        Some(0x00) => {
            let done: OkPacketDeserializer<'_, CommonOkPacket> =
                ParseBuf(packet).parse(capabilities).map_err(unreadable)?;
            Ok(Opening::Done(done.into_inner().status_flags()))
        }
        Some(0xff) => Err(server_error(packet)),
        // The server requests a file, which the client did not offer.
        Some(0xfb) | None => Err(unexpected(packet)),
        Some(_) => {
            let mut packet = ParseBuf(packet);
            Ok(Opening::Columns(packet.eat_lenenc_int()))
        }
    }
}

async fn read_columns(wire: &mut PacketStream, count: u64) -> Result<Arc<[Column]>, Error> {
    let mut columns = Vec::new();
    for _ in 0..count {
        let packet = wire.receive().await?;
        columns.push(ParseBuf(packet).parse(()).map_err(unreadable)?);
    }
    Ok(columns.into())
}

/// Returns the server's status if the packet ends the rows; `None` if it is a row.
fn end_of_rows(packet: &[u8], capabilities: CapabilityFlags) -> Result<Option<StatusFlags>, Error> {
    match packet.first() {
        Some(0xff) => Err(server_error(packet)),
        // A row that begins with this byte holds a text that fills the packet.
        Some(0xfe) if packet.len() < MAX_PAYLOAD_LEN => {
            let end = if capabilities.contains(CapabilityFlags::CLIENT_DEPRECATE_EOF) {
                ParseBuf(packet)
                    .parse::<OkPacketDeserializer<'_, ResultSetTerminator>>(capabilities)
                    .map(OkPacketDeserializer::into_inner)
            } else {
                ParseBuf(packet)
                    .parse::<OkPacketDeserializer<'_, OldEofPacket>>(capabilities)
                    .map(OkPacketDeserializer::into_inner)
            };
            Ok(Some(end.map_err(unreadable)?.status_flags()))
        }
        _ => Ok(None),
    }
}

fn row(packet: &[u8], columns: &Arc<[Column]>, encoding: Encoding) -> Result<Row, Error> {
    let (mut packet, columns) = (ParseBuf(packet), Arc::clone(columns));
    let row = match encoding {
        Encoding::Text => packet
            .parse::<RowDeserializer<ServerSide, Text>>(columns)
            .map(Row::from),
        Encoding::Binary => packet
            .parse::<RowDeserializer<ServerSide, Binary>>(columns)
            .map(Row::from),
    };
    row.map_err(unreadable)
}

/// Returns the error that a server sent.
pub(crate) fn server_error(packet: &[u8]) -> Error {
    // Before the login the server does not know the client's capabilities and leaves the state out.
    let has_state = packet.get(3) == Some(&b'#');
    let capabilities = match has_state {
        true => CapabilityFlags::CLIENT_PROTOCOL_41,
        false => CapabilityFlags::empty(),
    };
    match ParseBuf(packet).parse(capabilities) {
        Ok(ErrPacket::Error(error)) => Error::Server(ServerError {
            code: error.error_code(),
            message: error.message_str().into_owned(),
            state: error
                .sql_state_ref()
                .map_or_else(String::new, |state| state.as_str().into_owned()),
        }),
        Ok(ErrPacket::Progress(_)) => unexpected(packet),
        Err(error) => unreadable(error),
    }
}

fn unexpected(packet: &[u8]) -> Error {
    Error::Driver(DriverError::UnexpectedPacket {
        payload: packet.to_owned(),
    })
}

/// Returns the error for a malformed packet.
pub(crate) fn unreadable(error: io::Error) -> Error {
    Error::Io(IoError::Io(error))
}
