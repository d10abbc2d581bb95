//! Answers of a server that were damaged: the client ends with each of them, and never panics.

use std::io::Write;
use std::net::{Ipv4Addr, Shutdown};
use std::os::unix::net::UnixStream;
use std::{fs, iter};

use logtrace_common::{Connection, Endpoint, Password, Tls};
use logtrace_testkit::fuzz::{config, damaged};
use mysql_common::constants::CapabilityFlags;
use proptest::prelude::*;

use crate::client::handshake::log_in;
use crate::client::packets::PacketStream;
use crate::client::public_key::{encrypted, tests::KEY};
use crate::client::result_set::{Encoding, rows, skip};
use crate::client::socket::Socket;
use crate::client::{Call, Conn};
use crate::util::runtime::on_this_thread;

/// Answers of MariaDB 10.11, as they were received.
const RECORDED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/packets");

/// Capabilities that a server can have or lack.
const CAPABILITIES: [CapabilityFlags; 2] = [
    CapabilityFlags::CLIENT_PROTOCOL_41,
    CapabilityFlags::CLIENT_PROTOCOL_41.union(CapabilityFlags::CLIENT_DEPRECATE_EOF),
];

/// Returns the recorded answers whose file has a name with one of these words.
fn recorded(words: &[&str]) -> Vec<Vec<u8>> {
    let files = fs::read_dir(RECORDED).unwrap().map(|entry| entry.unwrap().path());
    let files = files.filter(|path| words.iter().any(|word| path.to_string_lossy().contains(word)));
    let answers: Vec<_> = files.map(|path| fs::read(path).unwrap()).collect();
    assert!(answers.len() >= words.len(), "{words:?}");
    answers
}

fn packet(number: u8, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_le_bytes();
    [&length[..3], &[number], payload].concat()
}

/// Login of MySQL 9.7 with `caching_sha2_password`, whose server asks for the password in full.
fn full_login() -> Vec<u8> {
    let greeting = [
        b"\x0a9.7.4\0\x08\0\0\0abcdefgh\0".as_slice(),
        b"\xff\xf7\xff\x02\0\xff\xdf\x15",
        &[0; 10],
        b"ijklmnopqrst\0caching_sha2_password\0",
    ];
    let switch = b"\xfecaching_sha2_password\0abcdefghijklmnopqrst\0";
    let key = [b"\x01", KEY.as_bytes()].concat();
    let packets = [
        &greeting.concat()[..],
        switch,
        b"\x01\x04",
        &key,
        b"\0\0\0\x02\0\0\0",
    ];
    iter::zip([0, 2, 4, 6, 8], packets)
        .flat_map(|(number, payload)| packet(number, payload))
        .collect()
}

/// Returns the bytes as packets that are whole: lengths that are too large are corrected.
fn whole_packets(mut bytes: &[u8]) -> Vec<u8> {
    let mut packets = Vec::new();
    while let Some(([a, b, c, number], rest)) = bytes.split_first_chunk() {
        let length = u32::from_le_bytes([*a, *b, *c, 0]) as usize;
        let (payload, rest) = rest.split_at(length.min(rest.len()));
        packets.extend(packet(*number, payload));
        bytes = rest;
    }
    packets
}

/// Returns a stream in which a server has sent these bytes and then nothing more, and the server's end.
fn answered(bytes: &[u8]) -> (PacketStream, UnixStream) {
    let (ours, mut server) = UnixStream::pair().unwrap();
    server.write_all(bytes).unwrap();
    server.shutdown(Shutdown::Write).unwrap();
    let stream = PacketStream::new(Socket::watch(ours.into()).unwrap());
    (stream, server)
}

fn login() -> Connection {
    Connection {
        endpoint: Endpoint::Tcp(Ipv4Addr::LOCALHOST.into(), 3306),
        user: "root".into(),
        password: Some(Password::new("")),
        database: None,
        tls: Tls::default(),
        server_uid: None,
    }
}

async fn read_login(bytes: &[u8]) -> bool {
    let (stream, _server) = answered(bytes);
    log_in(stream, &login(), Some("test")).await.is_ok()
}

/// Reads the answer to a statement in each way. Returns whether one succeeded.
async fn read_rows(bytes: &[u8]) -> bool {
    let mut succeeded = false;
    for capabilities in CAPABILITIES {
        for encoding in [None, Some(Encoding::Text), Some(Encoding::Binary)] {
            let (mut stream, _server) = answered(bytes);
            stream.command(b"\x03").await.unwrap();
            succeeded |= match encoding {
                None => skip(&mut stream, capabilities).await.is_ok(),
                Some(encoding) => rows(&mut stream, capabilities, encoding).await.is_ok(),
            };
        }
    }
    succeeded
}

async fn read_prepared(bytes: &[u8]) -> bool {
    let mut succeeded = false;
    for capabilities in CAPABILITIES {
        let (stream, _server) = answered(bytes);
        let mut conn = Conn::on(stream, capabilities);
        let prepared = conn.prepare("SELECT 1").await;
        succeeded |= prepared.is_ok();
        if let Ok(statement) = prepared {
            let _ = conn.execute(&Call::Execute(statement, Vec::new())).await;
        }
    }
    succeeded
}

#[test]
fn sound_answers_are_read() {
    let ends = |answers: Vec<Vec<u8>>, read: fn(&[u8]) -> bool| {
        for answer in answers {
            assert_eq!(whole_packets(&answer), answer);
            assert!(read(&answer), "{answer:?}");
        }
    };
    ends(vec![full_login()], |bytes| {
        on_this_thread(read_login(bytes)).unwrap()
    });
    ends(recorded(&["login"]), |bytes| {
        on_this_thread(read_login(bytes)).unwrap()
    });
    ends(recorded(&["rows", "ok", "several"]), |bytes| {
        on_this_thread(read_rows(bytes)).unwrap()
    });
    ends(recorded(&["prepared"]), |bytes| {
        on_this_thread(read_prepared(bytes)).unwrap()
    });
}

proptest! {
    #![proptest_config(config(1000))]

    #[test]
    fn a_login_ends(bytes in damaged([recorded(&["login"]), vec![full_login()]].concat())) {
        on_this_thread(async {
            read_login(&bytes).await;
            read_login(&whole_packets(&bytes)).await;
        }).unwrap();
    }

    #[test]
    fn an_answer_ends(bytes in damaged(recorded(&["rows", "ok", "several", "error"]))) {
        on_this_thread(async {
            read_rows(&bytes).await;
            read_rows(&whole_packets(&bytes)).await;
        }).unwrap();
    }

    #[test]
    fn a_short_answer_ends(payload in proptest::collection::vec(any::<u8>(), 0..12)) {
        on_this_thread(read_rows(&packet(1, &payload))).unwrap();
    }

    #[test]
    fn a_prepared_statement_ends(bytes in damaged(recorded(&["prepared", "error"]))) {
        on_this_thread(async {
            read_prepared(&bytes).await;
            read_prepared(&whole_packets(&bytes)).await;
        }).unwrap();
    }

    #[test]
    fn a_public_key_is_used_or_refused(pem in damaged(vec![KEY.as_bytes().to_vec()])) {
        if let Some(block) = encrypted(b"secret\0", &pem) {
            prop_assert!(block.len() >= 128);
        }
    }
}
