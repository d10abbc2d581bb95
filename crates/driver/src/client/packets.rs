//! Stream of packets to and from a server.

use std::io;

use bytes::BytesMut;
use logtrace_common::Tls;
use mysql_async::{DriverError, Error, IoError};
use mysql_common::proto::codec::PacketCodec;
use mysql_common::proto::codec::error::PacketCodecError;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_rustls::client::TlsStream;
use tokio_util::either::Either;

use crate::client::socket::Socket;
use crate::client::tls::encrypt;

/// Size of one read in bytes.
const CHUNK: usize = 16 << 10;

/// Largest packet in bytes: the maximum of `max_allowed_packet`. Servers refuse larger packets themselves.
const LARGEST_PACKET: usize = 1 << 30;

/// Stream of packets over a socket.
pub(crate) struct PacketStream {
    /// Socket, or an encrypted stream over it.
    stream: Either<Socket, Box<TlsStream<Socket>>>,
    codec: PacketCodec,
    input: BytesMut,
    output: BytesMut,
    packet: Vec<u8>,
    chunk: Box<[u8]>,
}

impl PacketStream {
    /// Creates a stream of packets over a new socket.
    pub(crate) fn new(socket: Socket) -> Self {
        let mut codec = PacketCodec::default();
        codec.max_allowed_packet = LARGEST_PACKET;
        Self {
            stream: Either::Left(socket),
            codec,
            input: BytesMut::new(),
            output: BytesMut::new(),
            packet: Vec::new(),
            chunk: vec![0; CHUNK].into_boxed_slice(),
        }
    }

    /// Encrypts the stream from now on.
    pub(crate) async fn encrypted(mut self, tls: &Tls) -> Result<Self, Error> {
        if let Either::Left(socket) = self.stream {
            let encrypted = encrypt(socket, tls).await.map_err(failed)?;
            self.stream = Either::Right(Box::new(encrypted));
        }
        Ok(self)
    }

    /// Sends a command.
    pub(crate) async fn command(&mut self, payload: &[u8]) -> Result<(), Error> {
        self.codec.reset_seq_id();
        self.send(payload).await
    }

    /// Sends a packet that continues the current exchange.
    pub(crate) async fn send(&mut self, mut payload: &[u8]) -> Result<(), Error> {
        self.output.clear();
        self.codec
            .encode(&mut payload, &mut self.output)
            .map_err(undecodable)?;
        self.stream.write_all(&self.output).await.map_err(failed)?;
        self.stream.flush().await.map_err(failed)
    }

    /// Receives the next packet.
    pub(crate) async fn receive(&mut self) -> Result<&[u8], Error> {
        self.packet.clear();
        while !self
            .codec
            .decode(&mut self.input, &mut self.packet)
            .map_err(undecodable)?
        {
            match self.stream.read(&mut self.chunk).await.map_err(failed)? {
                0 => return Err(failed(io::ErrorKind::UnexpectedEof.into())),
                length => self.input.extend_from_slice(&self.chunk[..length]),
            }
        }
        Ok(&self.packet)
    }
}

/// Returns an error of the socket.
fn failed(error: io::Error) -> Error {
    Error::Io(IoError::Io(error))
}

/// Returns an error of the packet framing.
fn undecodable(error: PacketCodecError) -> Error {
    match error {
        PacketCodecError::Io(error) => failed(error),
        PacketCodecError::PacketTooLarge => Error::Driver(DriverError::PacketTooLarge),
        PacketCodecError::PacketsOutOfSync => Error::Driver(DriverError::PacketOutOfOrder),
        other => Error::Other(other.into()),
    }
}
