//! Packets of a server that pass during a login over a plain TCP connection. Pure.
//!
//! Whoever can redirect such a connection can answer in the server's place. So a packet passes only if it is known whole,
//! and if the client library answers it with nothing but a proof of the password (`continue_auth` of `mysql_async`). A list
//! of refused packets would miss some, because the library looks at fewer bytes than it gets. It reads on behind
//! MariaDB's progress reports, which look like errors, so nothing passes behind an error.

/// First bytes of packets (protocol documentation, "Connection Phase").
mod first {
    pub(super) const OK: u8 = 0x00;
    pub(super) const MORE_DATA: u8 = 0x01;
    pub(super) const PROTOCOL_10: u8 = 0x0a;
    pub(super) const SWITCH: u8 = 0xfe;
    pub(super) const ERR: u8 = 0xff;
}

/// `caching_sha2_password`: the server knows the proof.
const FAST_SUCCESS: u8 = 0x03;
/// `caching_sha2_password`: the server wants the whole password (`perform_full_authentication`).
const FULL_AUTHENTICATION: u8 = 0x04;

/// Shortest OK packet: two numbers, status and warnings.
const SHORTEST_OK: usize = 7;

/// Beginning of a public key.
const PEM: &[u8] = b"-----BEGIN PUBLIC KEY-----";

/// Largest exponent of the rounds that `parsec` may ask for: a million, which take less than a second.
const MAX_PARSEC_FACTOR: u8 = 10;

/// What is known of the login so far, and what may come next.
#[derive(Debug)]
pub(crate) struct LoginFilter {
    /// Whether the password may be encrypted with a key that the server sends.
    accepts_key: bool,
    awaited: AwaitedPacket,
}

#[derive(Clone, Copy, Debug)]
enum AwaitedPacket {
    Greeting,
    /// Answer to the first proof.
    Answer,
    /// Answer to the proof for another plugin, `caching_sha2_password`.
    SecondAnswer,
    /// Salt of `parsec`.
    Salt,
    /// Public key.
    Key,
    /// Nothing but the end.
    Verdict,
}

/// State of a login behind a packet that passes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Login {
    GoesOn,
    /// The server accepts it.
    Done,
    /// The server refuses it. The client library reads on behind some errors, so nothing may follow.
    Refused,
}

/// Reason for which a packet does not pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// It asks for the whole password.
    WholePassword,
    /// It asks for the proof of another plugin than the known ones.
    Plugin(String),
    /// It is none that is known.
    Unknown,
}

impl LoginFilter {
    /// Creates the filter of a new connection.
    pub(crate) fn new(accepts_key: bool) -> Self {
        Self {
            accepts_key,
            awaited: AwaitedPacket::Greeting,
        }
    }

    /// Decides on the payload of the next packet.
    pub(crate) fn pass(&mut self, packet: &[u8]) -> Result<Login, Refusal> {
        use AwaitedPacket::{Answer, Greeting, Key, Salt, SecondAnswer, Verdict};
        self.awaited = match (self.awaited, packet) {
            (_, [first::ERR, _, _, ..]) => return Ok(Login::Refused),
            (Answer | SecondAnswer | Verdict, [first::OK, ..]) if packet.len() >= SHORTEST_OK => {
                return Ok(Login::Done);
            }
            (Greeting, [first::PROTOCOL_10, ..]) => Answer,
            (Answer, [first::SWITCH, request @ ..]) => after_switch(request)?,
            (Answer | SecondAnswer, [first::MORE_DATA, FAST_SUCCESS]) => Verdict,
            (Answer | SecondAnswer, [first::MORE_DATA, FULL_AUTHENTICATION]) if self.accepts_key => Key,
            (Answer | SecondAnswer, [first::MORE_DATA, FULL_AUTHENTICATION, ..]) => {
                return Err(Refusal::WholePassword);
            }
            (Key, [first::MORE_DATA, key @ ..]) if key.starts_with(PEM) => Verdict,
            (Salt, [first::MORE_DATA, salt @ ..] | salt) if is_salt(salt) => Verdict,
            (Greeting | Answer | SecondAnswer | Salt | Key | Verdict, _) => return Err(Refusal::Unknown),
        };
        Ok(Login::GoesOn)
    }
}

/// Returns what may follow a request to prove the password for another plugin: its name and a nonce of the right length.
fn after_switch(request: &[u8]) -> Result<AwaitedPacket, Refusal> {
    let mut parts = request.splitn(2, |&byte| byte == 0);
    let name = parts.next().unwrap_or_default();
    let (nonce_length, next) = match name {
        b"mysql_native_password" => (20, AwaitedPacket::Verdict),
        b"caching_sha2_password" => (20, AwaitedPacket::SecondAnswer),
        b"client_ed25519" => (32, AwaitedPacket::Verdict),
        b"parsec" => (32, AwaitedPacket::Salt),
        // A packet without a name.
        b"" => return Err(Refusal::Plugin("mysql_old_password".to_owned())),
        _ => return Err(Refusal::Plugin(String::from_utf8_lossy(name).into_owned())),
    };
    let nonce = parts.next().unwrap_or_default();
    let is_terminated = nonce.len() == nonce_length + 1 && nonce.ends_with(&[0]);
    match nonce.len() == nonce_length || is_terminated {
        true => Ok(next),
        false => Err(Refusal::Unknown),
    }
}

/// Returns whether these are the parameters of `parsec`: `P` for PBKDF2, the exponent of the rounds, 18 bytes of salt.
fn is_salt(salt: &[u8]) -> bool {
    matches!(salt, [b'P', 0..=MAX_PARSEC_FACTOR, rest @ ..] if rest.len() == 18)
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;

    use super::*;

    /// Packets of logins, and some that ask for the password.
    const KNOWN: [&[u8]; 13] = [
        b"\x0a9.7.4\0",
        b"\0\0\0\x02\0\0\0",
        b"\xff\x15\x04#28000Access denied",
        b"\xff\xff\xff\x01\x01\x01\0\0\0\x01x",
        b"\x01\x03",
        b"\x01\x04",
        b"\x01-----BEGIN PUBLIC KEY-----\n",
        b"\xfe",
        b"\xfemysql_native_password\x0012345678901234567890\0",
        b"\xfecaching_sha2_password\x0012345678901234567890\0",
        b"\xfeclient_ed25519\x0012345678901234567890123456789012",
        b"\xfeparsec\x0012345678901234567890123456789012",
        b"\xfemysql_clear_password\0",
    ];

    fn judged(accepts_key: bool, packets: &[&[u8]]) -> Result<Login, Refusal> {
        let mut filter = LoginFilter::new(accepts_key);
        packets
            .iter()
            .try_fold(Login::GoesOn, |_, packet| filter.pass(packet))
    }

    #[test]
    fn each_kind_of_login_passes() {
        let [
            greeting,
            ok,
            err,
            _,
            fast,
            full,
            key,
            _,
            native,
            sha2,
            ed25519,
            parsec,
            _,
        ] = KNOWN;
        let salt: &[u8] = b"\x01P\x00123456789012345678";
        let done = Ok(Login::Done);
        for answers in [
            &[ok][..],
            &[fast, ok],
            &[native, ok],
            &[sha2, ok],
            &[sha2, fast, ok],
            &[ed25519, ok],
            &[parsec, salt, ok],
            &[parsec, &salt[1..], ok],
        ] {
            assert_eq!(
                judged(false, &[&[greeting], answers].concat()),
                done,
                "{answers:?}"
            );
        }
        assert_eq!(judged(true, &[greeting, full, key, ok]), done);
        assert_eq!(judged(true, &[greeting, sha2, full, key, ok]), done);
        for before in [&[][..], &[greeting], &[greeting, fast], &[greeting, parsec]] {
            assert_eq!(judged(false, &[before, &[err]].concat()), Ok(Login::Refused));
        }
    }

    #[test]
    fn what_asks_for_the_password_is_told() {
        let [greeting, _, _, _, fast, full, _, old, native, sha2, _, _, clear] = KNOWN;
        for asks in [full, b"\x01\x04\0", b"\x01\x04 and more"] {
            for before in [&[greeting][..], &[greeting, sha2]] {
                let judged = judged(false, &[before, &[asks]].concat());
                assert_eq!(judged, Err(Refusal::WholePassword), "{asks:?}");
            }
            // Not awaited.
            for before in [[greeting, fast], [greeting, native]] {
                assert_eq!(
                    judged(true, &[&before[..], &[asks]].concat()),
                    Err(Refusal::Unknown)
                );
            }
        }
        let plugin = |name: &str| Err(Refusal::Plugin(name.to_owned()));
        assert_eq!(judged(true, &[greeting, clear]), plugin("mysql_clear_password"));
        assert_eq!(judged(true, &[greeting, old]), plugin("mysql_old_password"));
        assert_eq!(judged(false, &[greeting, native, sha2]), Err(Refusal::Unknown));
    }

    /// A known packet as it is, cut, changed or with more bytes; or any bytes.
    pub(crate) fn packets() -> impl Strategy<Value = Vec<u8>> {
        let known = || select(&KNOWN[..]).prop_map(<[u8]>::to_vec);
        let changed = (known(), any::<usize>(), 0..4_usize, vec(any::<u8>(), 0..4));
        let changed = changed.prop_map(|(mut packet, cut, change, more)| {
            packet.truncate(packet.len() - cut % 3 % packet.len());
            if change == 0 {
                let at = cut % packet.len();
                packet[at] = cut as u8;
            }
            packet.extend(more);
            packet
        });
        prop_oneof![known(), changed, vec(any::<u8>(), 0..40)]
    }

    /// Returns whether these bytes are a whole packet that may pass, by another way than the filter's: lengths and beginnings.
    fn is_known(packet: &[u8]) -> bool {
        let begins = |start: &[u8], lengths: &[usize]| {
            packet.starts_with(start) && lengths.contains(&(packet.len() - start.len()))
        };
        packet == b"\x01\x03"
            || packet.first() == Some(&0x0a)
            || packet.first() == Some(&0xff) && packet.len() >= 3
            || packet.first() == Some(&0x00) && packet.len() >= 7
            || begins(b"\xfemysql_native_password\0", &[20, 21])
            || begins(b"\xfecaching_sha2_password\0", &[20, 21])
            || begins(b"\xfeclient_ed25519\0", &[32, 33])
            || begins(b"\xfeparsec\0", &[32, 33])
            || begins(b"\x01P", &[19])
            || begins(b"P", &[19])
    }

    proptest! {
        #[test]
        fn nothing_else_passes(packets in vec(packets(), 0..6)) {
            let mut filter = LoginFilter::new(false);
            for (number, packet) in packets.iter().enumerate() {
                // The first one has its place: otherwise few reach what is behind it.
                let packet = if number == 0 { KNOWN[0] } else { packet };
                match filter.pass(packet) {
                    Ok(Login::GoesOn) => prop_assert!(is_known(packet) && packet[0] != 0 && packet[0] != 0xff, "{packet:?}"),
                    Ok(Login::Done) => {
                        prop_assert!(is_known(packet) && packet[0] == 0, "{packet:?}");
                        break;
                    }
                    Ok(Login::Refused) => {
                        prop_assert!(packet[0] == 0xff, "{packet:?}");
                        break;
                    }
                    Err(_) => break,
                }
            }
        }
    }
}
