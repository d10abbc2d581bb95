//! Runs to render. Their numbers are invented and add up.

mod breakdown;
pub(crate) mod custom;
mod failure;
mod host;
mod statements;
pub(crate) mod tpcc;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use logtrace_attribution::breakdown::{Breakdown, Distribution, StackTotals};
use logtrace_attribution::cause::Cause;
use logtrace_common::{FileClass, Flavor};
use logtrace_report::document::{
    Capacity, CauseTime, Caveat, Commits, Container, Document, Driver, Gaps, LockHolder, LoopImage,
    NameSource, OtherCommits, OutageRow, Placed, Probe, Program, Server, SessionRow, StepCommits, StepRow,
    Trace, TracedParts, Tracer, Tracing, Workload,
};

use self::breakdown::{breakdown, durations, histogram};
use self::failure::deadlock;
use self::host::{cpu, host};

/// A run and its stacks.
#[derive(Clone)]
pub(crate) struct Sample {
    pub(crate) document: Document,
    pub(crate) stacks: StackTotals,
}

/// Every sample, by name.
pub(crate) fn all() -> Vec<(&'static str, Sample)> {
    vec![
        ("traced", traced()),
        ("not_traced", not_traced()),
        ("losses", losses()),
        ("no_commits", no_commits()),
        ("trace", trace()),
        ("tpcc", tpcc::sample()),
        ("custom", custom::sample()),
    ]
}

/// Open loop on MySQL, whole.
pub(crate) fn traced() -> Sample {
    // Made once: many tests change a copy.
    static TRACED: LazyLock<Sample> = LazyLock::new(make_traced);
    TRACED.clone()
}

fn make_traced() -> Sample {
    let breakdown = breakdown();
    let mut document = not_traced().document;
    document.caveats.clear();
    document.tracer = Some(tracer());
    document.set_breakdown(&breakdown, TracedParts::ALL);
    name(&mut document);
    document.tracing = Some(tracing());
    Sample {
        document,
        stacks: breakdown.stacks,
    }
}

/// Names a transaction and the session that held a lock longest.
fn name(document: &mut Document) {
    let session = |thread, connection, user: &str, statement: &str| SessionRow {
        thread,
        connection,
        user: user.to_owned(),
        host: "10.0.0.3".to_owned(),
        statement: Some(statement.to_owned()),
    };
    let large = "INSERT INTO `orders_of_the_year` SELECT * FROM `orders` WHERE `id` > ?";
    let large = session(19_370, 17, "app", large);
    let locks = "UPDATE `stock` SET `quantity` = `quantity` - ? WHERE `item` = ?";
    lock_holder(document).session = Some(session(4_711, 18, "shop", locks));
    let holders = document.holders.as_mut().unwrap();
    holders.names = NameSource::Server;
    holders.sessions = vec![large.clone()];
    holders.transactions[0].session = Some(large);
}

/// Returns the session that held a lock longest.
fn lock_holder(document: &mut Document) -> &mut LockHolder {
    &mut document.stages.as_mut().unwrap().waits[0].held_by[0]
}

/// The same load without the tracer.
pub(crate) fn not_traced() -> Sample {
    let document = Document {
        logtrace: "0.1.0".to_owned(),
        host: Some(host()),
        workload: Some(workload()),
        driver: Some(driver()),
        cpu: Some(cpu()),
        ..Document::new("2026-11-21T09:30:00+01:00".to_owned(), server())
    };
    Sample {
        document,
        stacks: StackTotals::default(),
    }
}

/// A closed loop on MariaDB that lost records, requests and a probe.
pub(crate) fn losses() -> Sample {
    let mut sample = traced();
    let document = &mut sample.document;
    document.server.flavor = Flavor::MariaDb;
    document.server.version = "10.11.19-MariaDB".to_owned();
    document.workload = Some(Workload {
        arrivals: "closed".to_owned(),
        ..workload()
    });
    document.driver = Some(Driver {
        capacity: None,
        offered_per_s: None,
        unfinished: 2,
        errors: BTreeMap::from([("1213".to_owned(), 12), ("disconnected".to_owned(), 1)]),
        first_errors: BTreeMap::from([("1213".to_owned(), deadlock())]),
        retries: BTreeMap::from([("1205".to_owned(), 40)]),
        retrying: Distribution::from(&histogram(&durations(38, 900_000.0))),
        outages: vec![OutageRow {
            at: 4_200_000_000,
            length: Some(1_300_000_000),
            connections: 1,
            back: 1,
            cause: "closed".to_owned(),
        }],
        ..driver()
    });
    if let Some(tracer) = &mut document.tracer {
        tracer.lost = 1_204;
        tracer.unmatched = 17;
        tracer.probes[2].attached = false;
        tracer.programs[1].runs = 0;
        tracer.programs[1].run_ns = 0;
    }
    document.commits.as_mut().unwrap().others = Some(OtherCommits {
        count: 1_204,
        total: 1 << 30,
    });
    // Another cause leads among the slowest commits.
    let first = document.causes[0].slowest;
    document.causes[0].slowest = std::mem::replace(&mut document.causes[2].slowest, first);
    document.caveats = vec![
        caveat(
            "lost_records",
            "1,204 of 1,011,204 records were lost because the ring was full: commit time that they would explain is \
             charged to \"unexplained\". Run at a lower rate, or on a machine with an idle CPU.",
        ),
        caveat(
            "probe_missing",
            "group edges: no symbol matches <trx_group_commit_leader|; causes have no leader.",
        ),
    ];
    sample
}

/// A traced run that only read.
pub(crate) fn no_commits() -> Sample {
    let mut sample = traced();
    sample.document.server = on_image(server());
    let nothing = Breakdown {
        commits: Commits {
            per_second: vec![0; 30],
            ..Commits::default()
        },
        ..Breakdown::default()
    };
    sample.document.workload = Some(Workload {
        name: "point_select".to_owned(),
        schedule: Some("100..5000/s:500".to_owned()),
        ..workload()
    });
    sample.document.tracer.as_mut().unwrap().cpu_ns_per_commit = 0;
    sample.document.set_breakdown(&nothing, TracedParts::ALL);
    sample.stacks = nothing.stacks;
    sample
}

/// A server that somebody else loads, traced for a part of the time.
pub(crate) fn trace() -> Sample {
    let mut sample = traced();
    let document = &mut sample.document;
    document.response = None;
    sample.stacks.response.clear();
    document.server.private = false;
    let id = "4f0c1d2e3b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0";
    document.server.control_group = Some(format!("/system.slice/docker-{id}.scope"));
    document.server.container = Some(Container {
        runtime: "docker".to_owned(),
        id: id.to_owned(),
    });
    document.workload = None;
    document.driver = None;
    document.trace = Some(Trace {
        pid: 1234,
        duration_s: 30.0,
    });
    // Without a login, nobody is named.
    lock_holder(document).session = None;
    let holders = document.holders.as_mut().unwrap();
    holders.names = NameSource::NoLogin;
    holders.sessions.clear();
    holders.transactions[0].session = None;
    if let Some(tracer) = &mut document.tracer {
        tracer.gaps = Some(Gaps {
            count: 13,
            untraced: 26_700_000_000,
            traced: 3_300_000_000,
        });
    }
    sample
}

fn server() -> Server {
    let settings = [
        ("innodb_flush_log_at_trx_commit", "1"),
        ("innodb_flush_method", "O_DIRECT"),
        ("log_bin", "ON"),
        ("sync_binlog", "1"),
    ];
    Server {
        flavor: Flavor::MySql,
        version: "9.7.4".to_owned(),
        private: true,
        binary: Some("/usr/sbin/mysqld".to_owned()),
        control_group: Some("/system.slice/mysql.service".to_owned()),
        container: None,
        file_system: "ext4".to_owned(),
        device: "/dev/vda".to_owned(),
        image: None,
        placement: Vec::new(),
        settings: BTreeMap::from(settings.map(|(name, value)| (name.to_owned(), value.to_owned()))),
    }
}

/// On a file system of its own, with logs elsewhere.
fn on_image(server: Server) -> Server {
    let placed = |class, file_system: &str, device: &str| Placed {
        class,
        directory: "/mnt/logs".to_owned(),
        file_system: file_system.to_owned(),
        device: device.to_owned(),
    };
    Server {
        file_system: "btrfs".to_owned(),
        device: "/dev/loop0".to_owned(),
        image: Some(LoopImage {
            bytes: 4 << 30,
            direct_io: Some(true),
            file_system: "ext4".to_owned(),
            device: "/dev/vda".to_owned(),
        }),
        placement: vec![
            placed(FileClass::Redo, "xfs", "/dev/sdb"),
            placed(FileClass::Binlog, "ext4", "/dev/sdc"),
            placed(FileClass::Undo, "xfs", "/dev/sdb"),
        ],
        ..server
    }
}

fn tracing() -> Tracing {
    Tracing {
        detail: "full".to_owned(),
        sample: "100%".to_owned(),
        ring_bytes: 4_194_304,
        recorded: false,
    }
}

fn workload() -> Workload {
    Workload {
        name: "update_key".to_owned(),
        connections: 8,
        encrypted: Some(false),
        arrivals: "poisson".to_owned(),
        schedule: None,
        seed: 42,
        keys: "special".to_owned(),
        tables: 4,
        rows: Some(100_000),
        duration_s: 30.0,
        warmup_s: 5.0,
        deadline: None,
        spin: false,
        tables_reused: false,
        statements: BTreeMap::from([("index_updates".to_owned(), 1)]),
        range_size: None,
        transaction: false,
        protocol: Some("prepared".to_owned()),
        cpus: None,
        session: BTreeMap::from([("sql_log_bin".to_owned(), "1".to_owned())]),
    }
}

fn driver() -> Driver {
    let distribution = |base| Distribution::from(&histogram(&durations(35_988, base)));
    Driver {
        capacity: Some(Capacity {
            per_s: 1_714.3,
            parts_per_s: vec![2_210.5, 1_714.3, 1_750.0],
            lasts: true,
            connections: Some(8),
        }),
        offered_per_s: Some(1_200.0),
        achieved_per_s: 1_199.6,
        requests: 35_988,
        done: 35_988,
        from_warmup: 0,
        late: 0,
        late_by_pacer: 0,
        queued: 812,
        unsent: 0,
        unfinished: 0,
        per_tenth: [119, 121].repeat(149).into_iter().chain([20, 208]).collect(),
        backlog_max: 9,
        backlog_end: 0,
        cpu_ns: 2_100_000_000,
        lag: distribution(39_000.0),
        pacer_lag: distribution(31_000.0),
        connection_wait: distribution(8_000.0),
        service: distribution(1_080_000.0),
        response: distribution(1_120_000.0),
        response_with_failed: distribution(1_120_000.0),
        ..Driver::default()
    }
}

/// Two steps of a rate.
pub(super) fn steps() -> Vec<StepRow> {
    let step = |at, rate, flush_ns| StepRow {
        at,
        length: 15_000_000_000,
        from_per_s: rate,
        to_per_s: rate,
        requests: 2,
        done: 1,
        lag: Distribution::default(),
        service: Distribution::default(),
        response: Distribution::default(),
        commits: Some(StepCommits {
            count: 1_000,
            causes: vec![CauseTime {
                cause: Cause::UNEXPLAINED,
                total: flush_ns,
            }],
        }),
    };
    vec![
        step(0, 1_000.0, 300_000_000),
        step(15_000_000_000, 2_000.0, 800_000_000),
    ]
}

fn tracer() -> Tracer {
    let program = |name: &str, runs, run_ns| Program {
        name: name.to_owned(),
        runs,
        run_ns,
    };
    let probe = |name: &str, program: &str, place: &str| Probe {
        name: name.to_owned(),
        program: program.to_owned(),
        place: place.to_owned(),
        attached: true,
    };
    Tracer {
        events: 1_010_000,
        lost: 0,
        undecodable: 0,
        unmatched: 0,
        invariant_violations: 0,
        contradictions: 0,
        bpf_ns: 187_500_000,
        entry_ns: 130_000_000,
        slow_call_ns: 70_000_000,
        reader_cpu_ns: 49_550_000,
        cpu_ns_per_commit: 12_143,
        cpu_ns_per_commit_range: Some((10_480, 13_900)),
        programs: vec![
            program("on_commit", 71_976, 65_000_000),
            program("on_group", 35_988, 32_000_000),
            program("on_switch", 905_000, 90_500_000),
        ],
        probes: vec![
            probe("commit begin", "on_commit", "uprobe ha_commit_trans+4, emulated"),
            probe("commit end", "on_commit", "uprobe ha_commit_trans+400, emulated"),
            probe(
                "group edges",
                "on_group",
                "uprobe MYSQL_BIN_LOG::flush_thread_caches+4, emulated",
            ),
            probe(
                "off-CPU",
                "on_switch",
                "tp_btf sched_switch, filtered to the server",
            ),
        ],
        gaps: None,
    }
}

fn caveat(kind: &str, text: &str) -> Caveat {
    Caveat {
        kind: kind.to_owned().into(),
        text: text.to_owned(),
    }
}
