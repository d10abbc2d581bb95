//! A source, and a replica that acknowledges what it gets.

use std::net::{Ipv4Addr, SocketAddr};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::foreign::{Foreign, free_port};
use crate::network::{TestNetwork, address_of};
use crate::replication::follow;
use logtrace_common::Flavor;

/// Time for which the source waits for the replica before it goes on without it.
const PATIENCE_MS: u32 = 60_000;

/// Two servers of which one waits at each commit for the other.
pub struct SemisyncPair {
    flavor: Flavor,
    /// Server that waits.
    pub source: Foreign,
    /// Server that writes and syncs its relay log, and applies nothing.
    pub replica: Foreign,
    /// Number of commits before the replica was there.
    alone: u64,
}

/// Returns the name that a flavor has for the server that waits.
pub fn role(flavor: Flavor) -> &'static str {
    match flavor {
        Flavor::MySql => "source",
        Flavor::MariaDb => "master",
    }
}

impl SemisyncPair {
    /// Starts both servers and connects them.
    pub fn start(flavor: Flavor) -> Self {
        Self::start_with(flavor, &[])
    }

    /// Starts both servers, the replica with more settings, and connects them.
    pub fn start_with(flavor: Flavor, settings: &[&str]) -> Self {
        Self::start_at(
            flavor,
            (Ipv4Addr::LOCALHOST, free_port()).into(),
            settings,
            |_| (),
        )
    }

    /// Does the same on the first two machines of a network. The thread is on the second one after it.
    ///
    /// # Panics
    ///
    /// Panics if the thread may not enter the machines.
    pub fn start_in(network: &TestNetwork, flavor: Flavor, settings: &[&str]) -> Self {
        let address = (address_of(0), 3306).into();
        Self::start_at(flavor, address, settings, |machine| {
            network.enter(machine).unwrap();
        })
    }

    /// Starts a source that listens at `address`, and a replica with more settings. Before each, `enter` goes to its machine.
    fn start_at(flavor: Flavor, address: SocketAddr, settings: &[&str], enter: impl Fn(usize)) -> Self {
        enter(0);
        let source = Foreign::start_at(flavor, &[], Some(address));
        let settings = [&["server_id=2", "sync_relay_log=1"], settings].concat();
        enter(1);
        let replica = Foreign::start_with(flavor, &settings, None);
        // Before commits wait for a replica that is not there.
        follow(flavor, &source, address, &replica);
        match flavor {
            Flavor::MySql => connect_mysql(&source, &replica),
            Flavor::MariaDb => connect_mariadb(&source, &replica),
        }
        let mut pair = Self {
            flavor,
            source,
            replica,
            alone: 0,
        };
        pair.wait_until("replica", || pair.status("clients") == 1);
        pair.alone = pair.status("no_tx");
        pair
    }

    /// Sets where commits wait from now on: `AFTER_SYNC` or `AFTER_COMMIT`.
    pub fn wait_after(&self, point: &str) {
        let role = role(self.flavor);
        self.source
            .tell(&format!("SET GLOBAL rpl_semi_sync_{role}_wait_point = {point}"));
    }

    /// Returns the number of commits since the replica was there that did not wait for it.
    pub fn given_up(&self) -> u64 {
        self.status("no_tx") - self.alone
    }

    /// Returns the time for which commits have waited, by the source's own count.
    pub fn waited(&self) -> Duration {
        Duration::from_micros(self.status("tx_wait_time"))
    }

    /// Returns a status variable of the source by the end of its name.
    fn status(&self, name: &str) -> u64 {
        let role = role(self.flavor);
        let (_, value): (String, String) = self
            .source
            .ask(&format!("SHOW GLOBAL STATUS LIKE 'Rpl_semi_sync_{role}_{name}'"));
        value.parse().unwrap()
    }

    fn wait_until(&self, what: &str, condition: impl Fn() -> bool) {
        let start = Instant::now();
        while !condition() {
            assert!(start.elapsed() < Duration::from_secs(60), "no {what} comes");
            sleep(Duration::from_millis(20));
        }
    }
}

fn connect_mysql(source: &Foreign, replica: &Foreign) {
    source.tell("INSTALL PLUGIN rpl_semi_sync_source SONAME 'semisync_source.so'");
    source.tell(&format!(
        "SET GLOBAL rpl_semi_sync_source_timeout = {PATIENCE_MS}"
    ));
    source.tell("SET GLOBAL rpl_semi_sync_source_enabled = ON");
    replica.tell("INSTALL PLUGIN rpl_semi_sync_replica SONAME 'semisync_replica.so'");
    replica.tell("SET GLOBAL rpl_semi_sync_replica_enabled = ON");
    replica.tell("START REPLICA IO_THREAD");
}

fn connect_mariadb(source: &Foreign, replica: &Foreign) {
    source.tell(&format!(
        "SET GLOBAL rpl_semi_sync_master_timeout = {PATIENCE_MS}"
    ));
    source.tell("SET GLOBAL rpl_semi_sync_master_enabled = ON");
    replica.tell("SET GLOBAL rpl_semi_sync_slave_enabled = ON");
    replica.tell("START SLAVE IO_THREAD");
}
