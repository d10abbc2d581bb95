//! The handshake of a new connection.

use mysql_async::{DriverError, Error};
use mysql_common::constants::CapabilityFlags;
use mysql_common::crypto;
use mysql_common::io::ParseBuf;
use mysql_common::packets::{AuthPlugin, AuthSwitchRequest, HandshakePacket, HandshakeResponse, SslRequest};
use mysql_common::proto::MySerialize;

use crate::client::packets::Wire;
use crate::client::result_set::server_error;
use crate::client::target::{Address, Target};

/// What is asked for, as far as a server can do it.
const WANTED: CapabilityFlags = CapabilityFlags::CLIENT_PROTOCOL_41
    .union(CapabilityFlags::CLIENT_LONG_PASSWORD)
    .union(CapabilityFlags::CLIENT_SECURE_CONNECTION)
    .union(CapabilityFlags::CLIENT_TRANSACTIONS)
    .union(CapabilityFlags::CLIENT_MULTI_RESULTS)
    .union(CapabilityFlags::CLIENT_PS_MULTI_RESULTS)
    .union(CapabilityFlags::CLIENT_DEPRECATE_EOF)
    .union(CapabilityFlags::CLIENT_PLUGIN_AUTH)
    .union(CapabilityFlags::CLIENT_PLUGIN_AUTH_LENENC_CLIENT_DATA);

/// The largest packet that the client says to take.
const MAX_PACKET: u32 = 1 << 30;

/// Collation `utf8mb4_general_ci`.
const UTF8MB4: u8 = 45;

/// What the server said of itself.
struct Greeting {
    capabilities: CapabilityFlags,
    version: (u16, u16, u16),
    nonce: Vec<u8>,
    plugin: AuthPlugin<'static>,
}

/// Logs in; returns the connection with what both sides can do.
pub(crate) async fn log_in(
    mut wire: Wire,
    target: &Target,
    database: Option<&str>,
) -> Result<(Wire, CapabilityFlags), Error> {
    let greeting = greeting(wire.receive().await?)?;
    let mut capabilities = greeting.capabilities & WANTED;
    // The server goes by what is said first, which may be the request to encrypt.
    capabilities.set(CapabilityFlags::CLIENT_CONNECT_WITH_DB, database.is_some());
    if target.encrypted {
        if !greeting.capabilities.contains(CapabilityFlags::CLIENT_SSL) {
            return Err(Error::Driver(DriverError::NoClientSslFlagFromServer));
        }
        capabilities |= CapabilityFlags::CLIENT_SSL;
        let request = SslRequest::new(capabilities, MAX_PACKET, UTF8MB4);
        wire.send(&serialized(&request)).await?;
        wire = wire.encrypted().await?;
    }
    let password = target.password.as_deref();
    let proof = greeting.plugin.gen_data(password, &greeting.nonce);
    let response = HandshakeResponse::new(
        proof.as_deref(),
        greeting.version,
        Some(target.user.as_bytes()),
        database.map(str::as_bytes),
        Some(greeting.plugin.borrow()),
        capabilities,
        None,
        MAX_PACKET,
    );
    wire.send(&serialized(&response)).await?;
    prove(&mut wire, target, greeting.nonce).await?;
    Ok((wire, capabilities))
}

fn greeting(packet: &[u8]) -> Result<Greeting, Error> {
    if packet.first() == Some(&0xff) {
        return Err(server_error(packet));
    }
    let greeting: HandshakePacket<'_> = ParseBuf(packet)
        .parse(())
        .map_err(crate::client::result_set::unreadable)?;
    let version = greeting
        .maria_db_server_version_parsed()
        .or_else(|| greeting.server_version_parsed());
    Ok(Greeting {
        capabilities: greeting.capabilities(),
        version: version.unwrap_or_default(),
        nonce: greeting.nonce(),
        // Others are switched to by the server.
        plugin: match greeting.auth_plugin() {
            Some(AuthPlugin::CachingSha2Password) => AuthPlugin::CachingSha2Password,
            _ => AuthPlugin::MysqlNativePassword,
        },
    })
}

/// Answers what the server asks until it says yes or no.
async fn prove(wire: &mut Wire, target: &Target, mut nonce: Vec<u8>) -> Result<(), Error> {
    let password = target.password.as_deref();
    loop {
        let packet = wire.receive().await?;
        match packet {
            [0x00, ..] => return Ok(()),
            [0xff, ..] => return Err(server_error(packet)),
            [0xfe, _, ..] => {
                let switch: AuthSwitchRequest<'_> = ParseBuf(packet)
                    .parse(())
                    .map_err(crate::client::result_set::unreadable)?;
                let plugin = known(switch.auth_plugin().into_owned())?;
                switch.plugin_data().clone_into(&mut nonce);
                let proof = plugin.gen_data(password, &nonce);
                wire.send(proof.as_deref().unwrap_or_default()).await?;
            }
            // `caching_sha2_password`: the server knows the password, and says yes next.
            [0x01, 0x03] => {}
            // It does not, and wants to see it.
            [0x01, 0x04] => show_password(wire, target, &nonce).await?,
            _ => {
                return Err(Error::Driver(DriverError::UnexpectedPacket {
                    payload: packet.to_owned(),
                }));
            }
        }
    }
}

/// The plugins that can be answered without asking anybody for a password.
fn known(plugin: AuthPlugin<'static>) -> Result<AuthPlugin<'static>, Error> {
    match plugin {
        AuthPlugin::MysqlNativePassword | AuthPlugin::CachingSha2Password => Ok(plugin),
        other => Err(Error::Driver(DriverError::UnknownAuthPlugin {
            name: String::from_utf8_lossy(other.as_bytes()).into_owned(),
        })),
    }
}

/// Where others could listen the password is encrypted with the server's key.
async fn show_password(wire: &mut Wire, target: &Target, nonce: &[u8]) -> Result<(), Error> {
    const ASK_FOR_KEY: [u8; 1] = [0x02];
    let mut password = target.password.clone().unwrap_or_default().into_bytes();
    password.push(0);
    if target.encrypted || matches!(target.address, Address::Socket(_)) {
        return wire.send(&password).await;
    }
    wire.send(&ASK_FOR_KEY).await?;
    let key = match wire.receive().await? {
        [0x01, key @ ..] => key.to_owned(),
        packet => return Err(server_error(packet)),
    };
    for (byte, mask) in password.iter_mut().zip(nonce.iter().cycle()) {
        *byte ^= mask;
    }
    wire.send(&crypto::encrypt(&password, &key)).await
}

fn serialized(packet: &impl MySerialize) -> Vec<u8> {
    let mut bytes = Vec::new();
    packet.serialize(&mut bytes);
    bytes
}
