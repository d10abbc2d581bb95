//! Stream of packets to and from a server.

use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::BytesMut;
use mysql_async::{DriverError, Error, IoError};
use mysql_common::proto::codec::PacketCodec;
use mysql_common::proto::codec::error::PacketCodecError;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_rustls::client::TlsStream;

use crate::client::socket::Socket;
use crate::client::tls::encrypt;

/// Size of one read in bytes.
const CHUNK: usize = 16 << 10;

/// Largest packet in bytes: the maximum of `max_allowed_packet`. Servers refuse larger packets themselves.
const LARGEST_PACKET: usize = 1 << 30;

/// Stream of packets over a socket.
pub(crate) struct PacketStream {
    stream: Stream,
    codec: PacketCodec,
    input: BytesMut,
    output: BytesMut,
    packet: Vec<u8>,
    chunk: Box<[u8]>,
}

/// Transport of the packets.
enum Stream {
    Plain(Socket),
    /// Encrypted stream, boxed because it is large.
    Encrypted(Box<TlsStream<Socket>>),
}

impl PacketStream {
    /// Creates a stream of packets over a new socket.
    pub(crate) fn new(socket: Socket) -> Self {
        let mut codec = PacketCodec::default();
        codec.max_allowed_packet = LARGEST_PACKET;
        Self {
            stream: Stream::Plain(socket),
            codec,
            input: BytesMut::new(),
            output: BytesMut::new(),
            packet: Vec::new(),
            chunk: vec![0; CHUNK].into_boxed_slice(),
        }
    }

    /// Encrypts the stream from now on.
    pub(crate) async fn encrypted(self) -> Result<Self, Error> {
        let stream = match self.stream {
            Stream::Plain(socket) => {
                let encrypted = encrypt(socket).await.map_err(failed)?;
                Stream::Encrypted(Box::new(encrypted))
            }
            encrypted @ Stream::Encrypted(_) => encrypted,
        };
        Ok(Self { stream, ..self })
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
        let (stream, output) = (&mut self.stream, &self.output[..]);
        let mut sent = 0;
        poll_fn(|context| stream.poll_send(context, output, &mut sent))
            .await
            .map_err(failed)
    }

    /// Receives the next packet.
    pub(crate) async fn receive(&mut self) -> Result<&[u8], Error> {
        self.packet.clear();
        while !self
            .codec
            .decode(&mut self.input, &mut self.packet)
            .map_err(undecodable)?
        {
            let (stream, chunk) = (&mut self.stream, &mut self.chunk[..]);
            let length = poll_fn(|context| stream.poll_receive(context, chunk)).await;
            match length.map_err(failed)? {
                0 => return Err(failed(io::ErrorKind::UnexpectedEof.into())),
                length => self.input.extend_from_slice(&self.chunk[..length]),
            }
        }
        Ok(&self.packet)
    }
}

impl Stream {
    fn poll_send(
        &mut self,
        context: &mut Context<'_>,
        bytes: &[u8],
        sent: &mut usize,
    ) -> Poll<io::Result<()>> {
        let stream: &mut (dyn AsyncWrite + Unpin) = match self {
            Self::Plain(socket) => socket,
            Self::Encrypted(stream) => stream,
        };
        let mut stream = Pin::new(stream);
        while *sent < bytes.len() {
            match ready!(stream.as_mut().poll_write(context, &bytes[*sent..]))? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                length => *sent += length,
            }
        }
        stream.poll_flush(context)
    }

    fn poll_receive(&mut self, context: &mut Context<'_>, chunk: &mut [u8]) -> Poll<io::Result<usize>> {
        let mut buffer = ReadBuf::new(chunk);
        let read = match self {
            Self::Plain(socket) => Pin::new(socket).poll_read(context, &mut buffer),
            Self::Encrypted(stream) => Pin::new(stream).poll_read(context, &mut buffer),
        };
        ready!(read)?;
        Poll::Ready(Ok(buffer.filled().len()))
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
