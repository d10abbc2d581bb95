//! Requests of clients: where the statements of a thread begin.

use std::io::{ErrorKind, Read, Write};
use std::os::unix::net::UnixStream;
use std::thread;
use std::time::Duration;

use logtrace_common::Detail;
use logtrace_events::Record;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::net::{SendFlags, send};

use crate::turn::turn;
use crate::{tid, traced_at, waits};

/// System call with which the servers read requests.
const RECVFROM: u16 = 45;
const ROUNDS: usize = 10;

/// Connection of which this thread is the server.
struct Connection {
    server: UnixStream,
    client: UnixStream,
}

impl Connection {
    fn new() -> Self {
        let (server, client) = UnixStream::pair().unwrap();
        server.set_nonblocking(true).unwrap();
        Self { server, client }
    }

    /// Answers, and finds no further request.
    fn answer(&mut self) {
        send(&self.server, b"answer", SendFlags::empty()).unwrap();
        let nothing = self.server.read(&mut [0; 16]).unwrap_err();
        assert_eq!(nothing.kind(), ErrorKind::WouldBlock);
    }

    /// Waits for a request, and reads it.
    fn receive(&mut self) {
        poll(&mut [PollFd::new(&self.server, PollFlags::IN)], None).unwrap();
        assert_eq!(self.server.read(&mut [0; 16]).unwrap(), 7);
    }
}

/// Returns the number of waits for a client without a length.
fn no_waits(records: &[Record]) -> usize {
    let waits = waits(records, tid()).into_iter();
    waits
        .filter(|off| off.syscall == Some(RECVFROM) && off.out_ns == off.in_ns)
        .count()
}

#[test]
fn a_request_that_comes_just_before_the_wait_for_it_begins_a_statement() {
    let _turn = turn();
    let mut connection = Connection::new();
    let (records, _) = traced_at(Detail::Full, || {
        // A thread is known from its first switch on.
        thread::sleep(Duration::from_millis(5));
        for _ in 0..ROUNDS {
            connection.answer();
            connection.client.write_all(b"request").unwrap();
            connection.receive();
        }
    });
    assert_eq!(no_waits(&records), ROUNDS);
}

#[test]
fn a_request_that_was_waited_for_begins_one_statement() {
    let _turn = turn();
    let mut connection = Connection::new();
    let mut client = connection.client.try_clone().unwrap();
    let (records, _) = traced_at(Detail::Full, || {
        thread::sleep(Duration::from_millis(5));
        for _ in 0..ROUNDS {
            connection.answer();
            thread::scope(|scope| {
                scope.spawn(|| {
                    thread::sleep(Duration::from_millis(20));
                    client.write_all(b"request").unwrap();
                });
                connection.receive();
            });
        }
    });
    assert_eq!(no_waits(&records), 0);
}
