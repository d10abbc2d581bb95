//! Relay between the client library and a server.
//!
//! `mysql_async` connects by itself and logs in at once. So it connects to this relay, which connected to the server and
//! knows who is at the other end, and which lets nothing through that would make the library give the password away.

use std::io;
use std::net::Ipv4Addr;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::UnixListener as StdUnixListener;
use std::sync::{Arc, OnceLock};

use mysql_async::{Opts, OptsBuilder};
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, bind, listen, socket_with};
use rustix::process::{geteuid, getpid};
use tokio::io::{
    AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader, ReadHalf, WriteHalf, copy, copy_buf, split,
};
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::client::login_filter::{Login, LoginFilter, Refusal};
use crate::client::server_stream::{CONNECT_TIMEOUT, ServerStream};
use crate::client::tcp_peer::owner;

/// Largest packet of a login, in bytes.
const MAX_PACKET: usize = 64 << 10;

/// Bytes that are copied at once.
const CHUNK: usize = 64 << 10;

/// Relay for one connection.
#[derive(Debug)]
pub(crate) struct LoginRelay {
    place: RelayAddress,
    refusal: Arc<OnceLock<Refusal>>,
    task: JoinHandle<()>,
}

/// Where the client library connects to.
#[derive(Debug)]
enum RelayAddress {
    /// Abstract name of a Unix-domain socket, with its leading zero.
    Socket(String),
    /// Port of 127.0.0.1. The library sends a password over a socket, so TCP stays TCP.
    Port(u16),
}

impl LoginRelay {
    /// Waits for the client library at a new address of this machine, and passes everything on. A `filter` is asked about
    /// each packet of the login.
    pub(crate) fn start(server: ServerStream, filter: Option<LoginFilter>) -> io::Result<Self> {
        let refusal = Arc::new(OnceLock::new());
        let told = Arc::clone(&refusal);
        // The tasks end with the connection. Their errors are those of the client.
        let (place, task) = match server {
            ServerStream::Socket(server) => {
                let (listener, place) = unnamed_listener()?;
                let task = tokio::spawn(async move {
                    if let Ok(client) = own_socket_client(listener).await {
                        let _ = relay(client, server, filter, &told).await;
                    }
                });
                (place, task)
            }
            ServerStream::Tcp(server) => {
                let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
                listener.set_nonblocking(true)?;
                let place = RelayAddress::Port(listener.local_addr()?.port());
                let listener = TcpListener::from_std(listener)?;
                let task = tokio::spawn(async move {
                    if let Ok(client) = own_tcp_client(listener).await {
                        let _ = relay(client, server, filter, &told).await;
                    }
                });
                (place, task)
            }
        };
        Ok(Self { place, refusal, task })
    }

    /// Returns the options with the address of the relay.
    pub(crate) fn options(&self, options: Opts) -> Opts {
        let builder = OptsBuilder::from_opts(options);
        match &self.place {
            RelayAddress::Socket(name) => builder.socket(Some(name.clone())),
            RelayAddress::Port(port) => builder
                .ip_or_hostname(Ipv4Addr::LOCALHOST.to_string())
                .tcp_port(*port),
        }
        .into()
    }

    /// Returns why the login was ended.
    pub(crate) fn refusal(&self) -> Option<&Refusal> {
        self.refusal.get()
    }

    /// Returns the task, which ends once the client has closed its connection and the server got everything.
    pub(crate) fn task(self) -> JoinHandle<()> {
        self.task
    }
}

/// Listens at an abstract name that the kernel chooses (autobind, unix(7)).
fn unnamed_listener() -> io::Result<(UnixListener, RelayAddress)> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    bind(&socket, &SocketAddrUnix::new_unnamed())?;
    listen(&socket, 1)?;
    let listener = StdUnixListener::from(socket);
    let address = listener.local_addr()?;
    let name = address
        .as_abstract_name()
        .and_then(|name| str::from_utf8(name).ok());
    let name = name.ok_or_else(|| io::Error::other("the kernel gave a socket no name"))?;
    let place = RelayAddress::Socket(format!("\0{name}"));
    Ok((UnixListener::from_std(listener)?, place))
}

/// Accepts the connection of this process. Others may connect to any abstract name: they are dropped.
async fn own_socket_client(listener: UnixListener) -> io::Result<UnixStream> {
    let accept = async {
        loop {
            let (client, _) = listener.accept().await?;
            let credentials = client.peer_cred()?;
            if credentials.pid() == Some(getpid().as_raw_nonzero().get()) {
                return Ok(client);
            }
        }
    };
    timeout(CONNECT_TIMEOUT, accept).await?
}

/// Accepts the connection of this user. Others may connect to any port: they are dropped.
async fn own_tcp_client(listener: TcpListener) -> io::Result<TcpStream> {
    let accept = async {
        loop {
            let (client, address) = listener.accept().await?;
            let client_owner = owner(client.local_addr()?, address)?;
            if client_owner.is_some_and(|owner| owner.uid == geteuid().as_raw()) {
                client.set_nodelay(true)?;
                return Ok(client);
            }
        }
    };
    timeout(CONNECT_TIMEOUT, accept).await?
}

/// Passes everything on until one side closes its connection.
async fn relay<S: AsyncRead + AsyncWrite>(
    client: S,
    server: S,
    filter: Option<LoginFilter>,
    refusal: &OnceLock<Refusal>,
) -> io::Result<()> {
    let (mut from_client, mut to_client) = split(client);
    let (mut from_server, mut to_server) = split(server);
    if let Some(filter) = filter {
        let done = tokio::select! {
            login = pass_login(&mut from_server, &mut to_client, filter, refusal) => login?,
            // The client has given up.
            ended = copy(&mut from_client, &mut to_server) => return ended.map(drop),
        };
        if done != Login::Done {
            return Ok(());
        }
    }
    let mut from_client = BufReader::with_capacity(CHUNK, from_client);
    let mut from_server = BufReader::with_capacity(CHUNK, from_server);
    tokio::select! {
        ended = copy_buf(&mut from_client, &mut to_server) => ended,
        ended = copy_buf(&mut from_server, &mut to_client) => ended,
    }
    .map(drop)
}

/// Passes the server's packets on until it accepts or refuses the login.
async fn pass_login<S: AsyncRead + AsyncWrite>(
    server: &mut ReadHalf<S>,
    client: &mut WriteHalf<S>,
    mut filter: LoginFilter,
    refusal: &OnceLock<Refusal>,
) -> io::Result<Login> {
    loop {
        // Length in three bytes, number of the packet.
        let mut header = [0; 4];
        server.read_exact(&mut header).await?;
        let [low, middle, high, _] = header;
        let length = u32::from_le_bytes([low, middle, high, 0]) as usize;
        if length > MAX_PACKET {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let mut payload = vec![0; length];
        server.read_exact(&mut payload).await?;
        let login = match filter.pass(&payload) {
            Ok(login) => login,
            Err(reason) => {
                refusal.get_or_init(|| reason);
                return Err(io::ErrorKind::PermissionDenied.into());
            }
        };
        client.write_all(&[&header[..], &payload].concat()).await?;
        if login != Login::GoesOn {
            return Ok(login);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{Shutdown, TcpListener, TcpStream};
    use std::{io, iter, thread};

    use proptest::collection::vec;
    use proptest::prelude::*;
    use tokio::runtime::Builder;

    use crate::client::login_filter::tests::packets;
    use crate::connection::{Connection, Endpoint, Password};
    use crate::tls::Tls;

    const PASSWORD: &str = "geheim";

    const GREETING: &[u8] =
        b"\x0a9.7.4\0\x07\0\0\x0012345678\0\xff\xf7\x2d\x02\0\xff\xdf\x15\0\0\0\0\0\0\0\0\0\0\
        123456789012\0caching_sha2_password\0";

    /// Logs in with a password to a listener that sends these packets behind a greeting. Returns the packets of the client.
    fn answers(packets: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let server = thread::spawn(move || {
            let (stream, _) = listener.accept().unwrap();
            let mut got = Vec::new();
            // It fails as soon as nothing more passes.
            let _ = exchange(&stream, &packets, &mut got);
            got
        });
        let connection = Connection {
            endpoint: Endpoint::Tcp(address.ip(), address.port()),
            user: "root".into(),
            password: Some(Password::new(PASSWORD)),
            database: None,
            tls: Tls::default(),
            server_uid: None,
        };
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(connection.connect()).unwrap_err();
        drop(runtime);
        server.join().unwrap()
    }

    fn exchange(mut stream: &TcpStream, packets: &[Vec<u8>], got: &mut Vec<Vec<u8>>) -> io::Result<()> {
        let mut number = 0;
        for packet in iter::once(&GREETING.to_vec()).chain(packets) {
            let length = u32::try_from(packet.len()).unwrap().to_le_bytes();
            stream.write_all(&[&length[..3], &[number], packet].concat())?;
            number += 1;
            // The client library answers these.
            if matches!(packet[..], [0x0a | 0xfe, ..] | [0x01, 0x04, ..]) {
                got.push(received(stream)?);
                number += 1;
            }
        }
        stream.shutdown(Shutdown::Write)?;
        loop {
            got.push(received(stream)?);
        }
    }

    fn received(mut stream: &TcpStream) -> io::Result<Vec<u8>> {
        let mut header = [0; 4];
        stream.read_exact(&mut header)?;
        let [low, middle, high, _] = header;
        let mut payload = vec![0; u32::from_le_bytes([low, middle, high, 0]) as usize];
        stream.read_exact(&mut payload)?;
        Ok(payload)
    }

    #[test]
    fn nothing_follows_the_proof_whatever_asks_for_the_password() {
        // Progress of MariaDB looks like an error and ends nothing.
        let progress: &[u8] = b"\xff\xff\xff\x01\x01\x01\0\0\0\x01x";
        let asks: [&[&[u8]]; 5] = [
            &[b"\x01\x04"],
            &[b"\x01\x04\0"],
            &[b"\x01\x04 and more"],
            &[progress, b"\x01\x04"],
            &[b"\xfemysql_clear_password\x0012345678901234567890\0"],
        ];
        for packets in asks {
            let got = answers(packets.iter().map(|packet| packet.to_vec()).collect());
            assert_eq!(got.len(), 1, "{packets:?}: {got:?}");
        }
    }

    proptest! {
        #[test]
        fn the_library_gives_nothing_but_proofs_whatever_is_sent(packets in vec(packets(), 0..5)) {
            for answer in answers(packets).iter().skip(1) {
                // The request for a key comes before the password that is encrypted with it.
                prop_assert!(answer != b"\x02" && answer.len() < 100, "{answer:?}");
                let holds_password = answer.windows(PASSWORD.len()).any(|bytes| bytes == PASSWORD.as_bytes());
                prop_assert!(!holds_password, "{answer:?}");
            }
        }
    }
}
