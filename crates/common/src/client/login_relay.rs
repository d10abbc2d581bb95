//! Relay that keeps the password from a server that asks for it in full over a plain TCP connection.
//!
//! `caching_sha2_password` then encrypts the password with a public key that the server sends, and whoever can redirect
//! the connection can send one. `mysql_async` always asks for that key. So its login passes through this relay, which
//! ends the connection when the server's request comes, before the client sees it.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt, copy, copy_bidirectional};
use tokio::net::tcp::{ReadHalf, WriteHalf};
use tokio::net::{TcpListener, TcpStream};

/// Packet in which a server asks for the whole password (`perform_full_authentication`).
const FULL_AUTHENTICATION: [u8; 2] = [0x01, 0x04];

/// Largest packet of a login, in bytes.
const MAX_PACKET: usize = 64 << 10;

/// Relay for one connection.
pub(crate) struct LoginRelay {
    /// Address to connect to.
    pub(crate) address: SocketAddr,
    refused: Arc<AtomicBool>,
}

impl LoginRelay {
    /// Connects to the server, and waits for one client at a new address of this machine.
    pub(crate) async fn start(server: SocketAddr) -> io::Result<Self> {
        let server = TcpStream::connect(server).await?;
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let refused = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&refused);
        // It ends with the connection. Its errors are those of the client.
        tokio::spawn(async move { relay(listener, server, &flag).await });
        Ok(Self { address, refused })
    }

    /// Returns whether the server asked for the whole password.
    pub(crate) fn has_refused(&self) -> bool {
        self.refused.load(Ordering::Acquire)
    }
}

async fn relay(listener: TcpListener, mut server: TcpStream, refused: &AtomicBool) -> io::Result<()> {
    let (mut client, _) = listener.accept().await?;
    drop(listener);
    server.set_nodelay(true)?;
    client.set_nodelay(true)?;
    let (mut from_server, mut to_server) = server.split();
    let (mut from_client, mut to_client) = client.split();
    tokio::select! {
        login = pass_login(&mut from_server, &mut to_client, refused) => login?,
        // The client has given up.
        ended = copy(&mut from_client, &mut to_server) => return ended.map(drop),
    }
    copy_bidirectional(&mut client, &mut server).await.map(drop)
}

/// Passes the server's packets on until it accepts or refuses the login.
async fn pass_login(
    server: &mut ReadHalf<'_>,
    client: &mut WriteHalf<'_>,
    refused: &AtomicBool,
) -> io::Result<()> {
    let mut is_greeting = true;
    loop {
        // Length in three bytes, number of the packet.
        let mut header = [0; 4];
        server.read_exact(&mut header).await?;
        let [low, middle, high, _] = header;
        let length = usize::from(low) | usize::from(middle) << 8 | usize::from(high) << 16;
        if length > MAX_PACKET {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let mut payload = vec![0; length];
        server.read_exact(&mut payload).await?;
        if payload == FULL_AUTHENTICATION {
            refused.store(true, Ordering::Release);
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        client.write_all(&[&header[..], &payload].concat()).await?;
        // The greeting begins with a version.
        if !is_greeting && matches!(payload.first(), Some(0x00 | 0xff)) {
            return Ok(());
        }
        is_greeting = false;
    }
}
