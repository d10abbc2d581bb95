//! Answers of a server to a command.

use std::io;
use std::sync::Arc;

use mysql_async::{Column, DriverError, Error, IoError, Row, ServerError};
use mysql_common::constants::{CapabilityFlags, ColumnType, MAX_PAYLOAD_LEN, StatusFlags};
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
                skip_packets(wire, columns.saturating_add(closing_packets(capabilities))).await?;
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
            let columns = ParseBuf(packet).checked_eat_lenenc_int();
            Ok(Opening::Columns(columns.ok_or_else(|| unexpected(packet))?))
        }
    }
}

async fn read_columns(wire: &mut PacketStream, count: u64) -> Result<Arc<[Column]>, Error> {
    let mut columns = Vec::new();
    for _ in 0..count {
        let packet = wire.receive().await?;
        let column: Column = ParseBuf(packet).parse(()).map_err(unreadable)?;
        if !is_in_rows(column.column_type()) {
            return Err(unexpected(packet));
        }
        columns.push(column);
    }
    Ok(columns.into())
}

/// Returns whether a server sends values of this type: the others are for its files alone, and mysql_common has no values of
/// them (include/field_types.h of MySQL).
fn is_in_rows(column: ColumnType) -> bool {
    !matches!(
        column,
        ColumnType::MYSQL_TYPE_TIMESTAMP2
            | ColumnType::MYSQL_TYPE_DATETIME2
            | ColumnType::MYSQL_TYPE_TIME2
            | ColumnType::MYSQL_TYPE_TYPED_ARRAY
            | ColumnType::MYSQL_TYPE_UNKNOWN
    )
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

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::unix::net::UnixListener;
    use std::thread;

    use logtrace_common::Endpoint;
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;
    use crate::client::socket::Socket;
    use crate::util::runtime::on_this_thread;

    /// Answers that a server could send, with packets that begin as real ones do.
    fn packets() -> impl Strategy<Value = Vec<Vec<u8>>> {
        let first = prop_oneof![
            Just(vec![]),
            prop::sample::select(vec![0x00_u8, 0x01, 0x02, 0xfb, 0xfc, 0xfd, 0xfe, 0xff])
                .prop_map(|byte| vec![byte]),
            // The definition of a column.
            Just(
                b"\x03def\x00\x01t\x01t\x01c\x01c\x0c\x2d\x00\x0b\x00\x00\x00\x03\x00\x00\x00\x00\x00"
                    .to_vec()
            ),
        ];
        let packet = (first, vec(any::<u8>(), 0..12)).prop_map(|(first, rest)| [first, rest].concat());
        vec(packet, 0..6)
    }

    /// Reads an answer of these packets, after which the server closes the connection.
    fn answered(
        packets: &[Vec<u8>],
        capabilities: CapabilityFlags,
        encoding: Option<Encoding>,
    ) -> Result<(), Error> {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("socket");
        let listener = UnixListener::bind(&path).unwrap();
        let mut bytes = Vec::new();
        for (number, packet) in packets.iter().enumerate() {
            bytes.extend_from_slice(&u32::try_from(packet.len()).unwrap().to_le_bytes()[..3]);
            bytes.push(u8::try_from(number).unwrap());
            bytes.extend_from_slice(packet);
        }
        let server = thread::spawn(move || listener.accept().unwrap().0.write_all(&bytes));
        let read = on_this_thread(async {
            let socket = Socket::connect(&Endpoint::Socket(path), None).await.unwrap();
            let mut wire = PacketStream::new(socket);
            match encoding {
                Some(encoding) => rows(&mut wire, capabilities, encoding).await.map(drop),
                None => skip(&mut wire, capabilities).await,
            }
        });
        // The client may have closed the connection before.
        let _ = server.join().unwrap();
        read.unwrap()
    }

    #[test]
    fn a_number_of_columns_without_its_bytes_is_refused() {
        for packet in [vec![0xfc], vec![0xfd, 1], vec![0xfe, 1, 2], vec![]] {
            assert!(answered(&[packet], CapabilityFlags::CLIENT_PROTOCOL_41, None).is_err());
        }
        // As many columns as there can be.
        let most = vec![[&[0xfe][..], &[0xff; 8]].concat()];
        assert!(answered(&most, CapabilityFlags::empty(), None).is_err());
    }

    proptest! {
        #[test]
        fn any_answer_is_read_or_refused(
            packets in packets(),
            deprecate in any::<bool>(),
            encoding in prop::sample::select(vec![None, Some(Encoding::Text), Some(Encoding::Binary)]),
        ) {
            let mut capabilities = CapabilityFlags::CLIENT_PROTOCOL_41;
            capabilities.set(CapabilityFlags::CLIENT_DEPRECATE_EOF, deprecate);
            let _ = answered(&packets, capabilities, encoding);
        }
    }
}
