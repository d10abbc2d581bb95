//! Handshake of a new connection.

use std::io;

use logtrace_common::{Connection, Endpoint, KeyRefused, Password};
use mysql_async::{DriverError, Error};
use mysql_common::constants::CapabilityFlags;
use mysql_common::io::ParseBuf;
use mysql_common::packets::{AuthPlugin, AuthSwitchRequest, HandshakePacket, HandshakeResponse, SslRequest};
use mysql_common::proto::MySerialize;

use crate::client::packets::PacketStream;
use crate::client::public_key::encrypted;
use crate::client::result_set::{server_error, unreadable};

/// Capabilities that the client requests if the server has them.
const WANTED: CapabilityFlags = CapabilityFlags::CLIENT_PROTOCOL_41
    .union(CapabilityFlags::CLIENT_LONG_PASSWORD)
    .union(CapabilityFlags::CLIENT_SECURE_CONNECTION)
    .union(CapabilityFlags::CLIENT_TRANSACTIONS)
    .union(CapabilityFlags::CLIENT_MULTI_RESULTS)
    .union(CapabilityFlags::CLIENT_PS_MULTI_RESULTS)
    .union(CapabilityFlags::CLIENT_DEPRECATE_EOF)
    .union(CapabilityFlags::CLIENT_PLUGIN_AUTH)
    .union(CapabilityFlags::CLIENT_PLUGIN_AUTH_LENENC_CLIENT_DATA);

/// Largest packet that the client announces to accept.
const MAX_PACKET: u32 = 1 << 30;

/// Collation `utf8mb4_general_ci`.
const UTF8MB4: u8 = 45;

/// Logs in. Returns the connection and the capabilities of both sides.
pub(crate) async fn log_in(
    mut wire: PacketStream,
    connection: &Connection,
    database: Option<&str>,
) -> Result<(PacketStream, CapabilityFlags), Error> {
    let greeting = greeting(wire.receive().await?)?;
    let mut capabilities = greeting.capabilities() & WANTED;
    // The server uses the flags of the first packet, which may be the request to encrypt.
    capabilities.set(CapabilityFlags::CLIENT_CONNECT_WITH_DB, database.is_some());
    if connection.is_encrypted() {
        if !greeting.capabilities().contains(CapabilityFlags::CLIENT_SSL) {
            return Err(Error::Driver(DriverError::NoClientSslFlagFromServer));
        }
        capabilities |= CapabilityFlags::CLIENT_SSL;
        let request = SslRequest::new(capabilities, MAX_PACKET, UTF8MB4);
        wire.send(&serialized(&request)).await?;
        wire = wire.encrypted(&connection.tls).await?;
    }
    // The server switches to other plugins.
    let plugin = match greeting.auth_plugin() {
        Some(AuthPlugin::CachingSha2Password) => AuthPlugin::CachingSha2Password,
        _ => AuthPlugin::MysqlNativePassword,
    };
    let version = greeting
        .maria_db_server_version_parsed()
        .or_else(|| greeting.server_version_parsed());
    let proof = plugin.gen_data(password(connection), &greeting.nonce());
    let response = HandshakeResponse::new(
        proof.as_deref(),
        version.unwrap_or_default(),
        Some(connection.user.as_bytes()),
        database.map(str::as_bytes),
        Some(plugin),
        capabilities,
        None,
        MAX_PACKET,
    );
    wire.send(&serialized(&response)).await?;
    authenticate(&mut wire, connection, greeting.nonce()).await?;
    Ok((wire, capabilities))
}

fn greeting(packet: &[u8]) -> Result<HandshakePacket<'static>, Error> {
    if packet.first() == Some(&0xff) {
        return Err(server_error(packet));
    }
    if !has_sound_nonce_length(packet) {
        return Err(unreadable(io::Error::other(
            "the server's greeting has a nonce of an impossible length",
        )));
    }
    let greeting: HandshakePacket<'_> = ParseBuf(packet).parse(()).map_err(unreadable)?;
    Ok(greeting.into_owned())
}

/// Returns whether the length of the nonce fits into the signed number with which `mysql_common` computes. It is the byte
/// behind the version's end and 20 more (protocol documentation, `HandshakeV10`).
fn has_sound_nonce_length(packet: &[u8]) -> bool {
    let version = packet.iter().skip(1);
    let length = version.skip_while(|&&byte| byte != 0).nth(21);
    length.is_none_or(|&length| i8::try_from(length).is_ok())
}

fn password(connection: &Connection) -> Option<&str> {
    connection.password.as_ref().map(Password::expose)
}

/// Answers the server's authentication requests until it accepts or refuses.
async fn authenticate(
    wire: &mut PacketStream,
    connection: &Connection,
    mut nonce: Vec<u8>,
) -> Result<(), Error> {
    let password = password(connection);
    loop {
        let packet = wire.receive().await?;
        match packet {
            [0x00, ..] => return Ok(()),
            [0xff, ..] => return Err(server_error(packet)),
            [0xfe, _, ..] => {
                let switch: AuthSwitchRequest<'_> = ParseBuf(packet).parse(()).map_err(unreadable)?;
                let plugin = supported(switch.auth_plugin().into_owned())?;
                switch.plugin_data().clone_into(&mut nonce);
                let proof = plugin.gen_data(password, &nonce);
                wire.send(proof.as_deref().unwrap_or_default()).await?;
            }
            // `caching_sha2_password`: the server has the password cached and accepts next.
            [0x01, 0x03] => {}
            // `caching_sha2_password`: the server has no cached password and needs it in full.
            [0x01, 0x04] => send_password(wire, connection, &nonce).await?,
            _ => {
                return Err(Error::Driver(DriverError::UnexpectedPacket {
                    payload: packet.to_owned(),
                }));
            }
        }
    }
}

/// Returns the plugin if this client supports it.
fn supported(plugin: AuthPlugin<'static>) -> Result<AuthPlugin<'static>, Error> {
    match plugin {
        AuthPlugin::MysqlNativePassword | AuthPlugin::CachingSha2Password => Ok(plugin),
        other => Err(Error::Driver(DriverError::UnknownAuthPlugin {
            name: String::from_utf8_lossy(other.as_bytes()).into_owned(),
        })),
    }
}

/// Sends the password. On an unencrypted network connection it is encrypted with the server's public key, if the user
/// trusts that.
async fn send_password(wire: &mut PacketStream, connection: &Connection, nonce: &[u8]) -> Result<(), Error> {
    const REQUEST_KEY: [u8; 1] = [0x02];
    let mut password = password(connection).unwrap_or_default().as_bytes().to_vec();
    password.push(0);
    if connection.is_encrypted() || matches!(connection.endpoint, Endpoint::Socket(_)) {
        return wire.send(&password).await;
    }
    if !connection.tls.get_server_public_key && password.len() > 1 {
        return Err(Error::Other(Box::new(KeyRefused)));
    }
    wire.send(&REQUEST_KEY).await?;
    let key = match wire.receive().await? {
        [0x01, key @ ..] => key.to_owned(),
        packet => return Err(server_error(packet)),
    };
    for (byte, mask) in password.iter_mut().zip(nonce.iter().cycle()) {
        *byte ^= mask;
    }
    match encrypted(&password, &key) {
        Some(block) => wire.send(&block).await,
        None => Err(unreadable(io::Error::other(
            "the server's public key is no RSA key in PEM, or too short for the password",
        ))),
    }
}

fn serialized(packet: &impl MySerialize) -> Vec<u8> {
    let mut bytes = Vec::new();
    packet.serialize(&mut bytes);
    bytes
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    const GREETING: &[u8] =
        b"\x0a9.7.4\0\x07\0\0\x0012345678\0\xff\xf7\x2d\x02\0\xff\xdf\x15\0\0\0\0\0\0\0\0\0\0\
        123456789012\0caching_sha2_password\0";

    #[test]
    fn a_greeting_is_read() {
        let read = greeting(GREETING).unwrap();
        assert_eq!(read.auth_plugin(), Some(AuthPlugin::CachingSha2Password));
        assert_eq!(read.nonce().len(), 20);
    }

    proptest! {
        #[test]
        fn any_greeting_is_read_or_refused(
            cut in 0..=GREETING.len(),
            changes in vec((0..GREETING.len(), any::<u8>()), 0..6),
            more in vec(any::<u8>(), 0..12),
        ) {
            let mut packet = GREETING.to_vec();
            for (at, byte) in changes {
                packet[at] = byte;
            }
            packet.truncate(cut);
            packet.extend(more);
            if let Ok(greeting) = greeting(&packet) {
                let _ = greeting.auth_plugin();
                let nonce = greeting.nonce();
                let _ = AuthPlugin::CachingSha2Password.gen_data(Some("x"), &nonce);
                let _ = AuthPlugin::MysqlNativePassword.gen_data(Some("x"), &nonce);
            }
        }
    }
}
