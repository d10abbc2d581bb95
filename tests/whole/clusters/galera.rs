//! A node of a Galera cluster, whose commits wait for another one.

use std::fs;
use std::path::Path;
use std::time::Duration;

use logtrace_attribution::cause::Wait;
use logtrace_common::Flavor;
use logtrace_laboratory::foreign::Foreign;
use logtrace_laboratory::network::{TestNetwork, address_of};
use logtrace_laboratory::slow_disk::SlowDisk;
use logtrace_report::document::CauseRow;
use logtrace_server::enter_mount_namespace;

use super::{COMMITS, LATE, STOPPED, assert_named, assert_true, commit, stops, traced, traced_commits};
use crate::common::sound::assert_counted;
use crate::common::{alone, patiently, run, share, workload};
use crate::join::on_own_thread;

/// Galera, as packages install it.
const PROVIDER: &str = "/usr/lib/galera/libgalera_smm.so";

/// Two nodes, each on a machine of its own. They end before the disk and the network.
struct GaleraCluster {
    nodes: [Foreign; 2],
    disk: SlowDisk,
    network: TestNetwork,
}

impl GaleraCluster {
    /// Starts both nodes. The redo log of the second one is on the slow disk.
    fn start() -> Self {
        enter_mount_namespace().unwrap();
        let (network, disk) = (TestNetwork::create(2).unwrap(), SlowDisk::mount());
        let nodes = [
            start_node(&network, 0, None),
            start_node(&network, 1, Some(disk.path())),
        ];
        nodes[0].tell("CREATE DATABASE d");
        nodes[0].tell("CREATE TABLE d.t (i INT PRIMARY KEY)");
        Self { nodes, disk, network }
    }
}

fn start_node(network: &TestNetwork, number: u8, redo: Option<&Path>) -> Foreign {
    network.enter(number.into()).unwrap();
    let others = match number {
        0 => String::new(),
        _ => address_of(0).to_string(),
    };
    let settings = [
        "wsrep_on=ON".to_owned(),
        format!("wsrep_provider={PROVIDER}"),
        format!("wsrep_cluster_address=gcomm://{others}"),
        format!("wsrep_node_address={}", address_of(number)),
        "wsrep_sst_method=rsync".to_owned(),
        // It tells its settings before it has joined.
        "wsrep_dirty_reads=ON".to_owned(),
        "innodb_autoinc_lock_mode=2".to_owned(),
        format!("server_id={}", number + 1),
    ];
    let node = Foreign::start_as(Flavor::MariaDb, |config| {
        config.settings = settings.iter().map(|text| text.parse().unwrap()).collect();
        // The address of a cluster looks like a path.
        config.storage.directories.push("/".into());
        config.storage.placements = redo
            .map(|directory| format!("redo={}", directory.display()).parse().unwrap())
            .into_iter()
            .collect();
    });
    patiently("a node that is ready", || status(&node, "ready") == "ON");
    node
}

/// Returns a status variable by the end of its name.
fn status(node: &Foreign, name: &str) -> String {
    let (_, value): (String, String) = node.ask(&format!("SHOW GLOBAL STATUS LIKE 'wsrep_{name}'"));
    value
}

#[test]
fn commits_wait_for_another_node() {
    let _alone = alone();
    on_own_thread(|| {
        let cluster = GaleraCluster::start();
        let [first, second] = &cluster.nodes;
        // A message goes to the other node, and its answer comes back.
        cluster.network.delay(1, LATE);
        let seen = traced_commits(first, async |_| ());
        assert_named("a slow network", &seen, Wait::Galera, LATE * 2 * (COMMITS - 1));
        cluster.network.delay(1, Duration::ZERO);
        first.tell("TRUNCATE d.t");
        let seen = traced_commits(first, stops(second.pid()));
        assert_named("a stopped node", &seen, Wait::Galera, STOPPED * (COMMITS / 10));
        first.tell("TRUNCATE d.t");
        let (document, ()) = traced(second, || {
            commit(first, async |_| ());
            let rows = "SELECT COUNT(*) FROM d.t";
            patiently("all rows", || second.ask::<u32>(rows) == COMMITS);
        });
        assert_true("a node that applies", &document);
        assert!(document.commits.unwrap().count + 1 >= u64::from(COMMITS));
    });
}

/// Share of a load's time in which the cluster held its node back, as that counts it, and the shares of the commit time that
/// have this name, and that commits which were let through worked.
fn held_back(what: &str, node: &Foreign) -> [f64; 3] {
    let ran = run(&format!(
        "--server {} --workload update_key --max --connections 4 --duration 3s --warmup 500ms --tables 1 --rows 500",
        node.address("root")
    ));
    let document = ran.document();
    assert_counted(&document);
    assert_true(what, &document);
    let text = fs::read_to_string(ran.file("server.json")).unwrap();
    let server: serde_json::Value = serde_json::from_str(&text).unwrap();
    let paused_ns = server["status_delta"]["wsrep_flow_control_paused_ns"]
        .as_f64()
        .unwrap();
    // It counts a little longer than the window.
    let paused = (paused_ns / 1e9 / workload(&document).duration_s).min(1.0);
    let named = share(&document, |row| row.cause.wait == Wait::Galera);
    let is_work = |row: &CauseRow| row.cause.io.is_some() || row.cause.wait.is_for_cpu();
    let worked = share(&document, is_work);
    println!(
        "{what}: held back {paused:.3} of the time, named {named:.3} of the commit time, worked {worked:.3}"
    );
    assert!(document.unexplained * 100 <= document.commits.unwrap().total);
    [paused, named, worked]
}

#[test]
fn commits_wait_for_a_node_with_a_slow_disk() {
    let _alone = alone();
    on_own_thread(|| {
        let cluster = GaleraCluster::start();
        held_back("both disks alike", &cluster.nodes[0]);
        cluster.disk.delay_syncs(LATE);
        let [paused, named, worked] = held_back("a slow disk", &cluster.nodes[0]);
        assert!(
            paused > 0.5 && named >= (paused - worked) * 0.95,
            "{named} {paused} {worked}"
        );
    });
}
