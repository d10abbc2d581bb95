//! Two network namespaces with a cable between them: two machines, as far as a server and its client can tell.

use std::fs::File;
use std::os::fd::AsFd;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

/// Address of the server's namespace.
pub(crate) const SERVER_ADDRESS: &str = "198.51.100.1";

/// Address of the client's namespace; both are of a block for documentation (RFC 5737).
const CLIENT_ADDRESS: &str = "198.51.100.2";

/// Two namespaces, which are removed when this is dropped.
pub(crate) struct Namespaces {
    server: String,
    client: String,
}

impl Namespaces {
    /// Creates both, with an address each.
    pub(crate) fn create() -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let id = format!("{}-{number}", std::process::id());
        let both = Self {
            server: format!("lts{id}"),
            client: format!("ltc{id}"),
        };
        let (server, client) = (&both.server, &both.client);
        ip(&format!("netns add {server}"));
        ip(&format!("netns add {client}"));
        ip(&format!(
            "link add name cable netns {server} type veth peer name cable netns {client}"
        ));
        for (name, address) in [(server, SERVER_ADDRESS), (client, CLIENT_ADDRESS)] {
            ip(&format!("-n {name} address add {address}/24 dev cable"));
            ip(&format!("-n {name} link set lo up"));
            ip(&format!("-n {name} link set cable up"));
        }
        both
    }

    /// Moves this thread, and the processes that it starts, to the server's namespace.
    pub(crate) fn enter_server(&self) {
        let namespace = File::open(format!("/run/netns/{}", self.server)).unwrap();
        move_into_link_name_space(namespace.as_fd(), Some(LinkNameSpaceType::Network)).unwrap();
    }

    /// Returns a command that runs the program in the client's namespace, where `CLOCK_MONOTONIC` is `ahead_s` later.
    pub(crate) fn client(&self, ahead_s: i64) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.client]);
        command.args(["unshare", "--fork", "--kill-child", "--time", "--monotonic"]);
        command.args([&ahead_s.to_string(), env!("CARGO_BIN_EXE_logtrace")]);
        command
    }
}

impl Drop for Namespaces {
    fn drop(&mut self) {
        for name in [&self.server, &self.client] {
            let _ = Command::new("ip").args(["netns", "delete", name]).status();
        }
    }
}

fn ip(arguments: &str) {
    let output = Command::new("ip")
        .args(arguments.split_whitespace())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "ip {arguments}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
}
