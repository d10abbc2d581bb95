//! The open loop against real servers that keep up.

use std::cell::RefCell;
use std::net::{Ipv4Addr, TcpListener};
use std::rc::Rc;
use std::time::Duration;

use crate::common::drives::{
    DATASET, assert_adds_up, config, drive_and_observe, drive_disturbed, load_dataset, loaded, uniform,
};
use crate::common::server::{FLAVORS, Flavor, Server};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hdrhistogram::serialization::Deserializer;
use hdrhistogram::serialization::interval_log::{IntervalLogIterator, LogEntry};
use logtrace_common::{Connection, Endpoint, Password, Tls};
use logtrace_driver::{
    Arrivals, CancellationToken, DriveError, DriveOutputs, EndReason, Pace, Progress, Stage, Target,
    TimeRange, Watch, drive, drop_database, now_ns,
};
use logtrace_testkit::{alone, one_or_all};

#[test]
fn requests_are_rate_times_duration_and_the_same_for_a_seed() {
    let _alone = alone();
    for &flavor in one_or_all(&FLAVORS) {
        let server = loaded(flavor);
        let poisson = Pace::Open {
            rate_per_s: 500.0,
            arrivals: Arrivals::Poisson,
        };
        let run = |pace, seed| {
            let mut config = config(
                server.target("logtrace"),
                "point_select",
                pace,
                Duration::from_secs(2),
            );
            config.dataset.seed = seed;
            config.warmup = Duration::from_millis(100 * seed);
            let (measured, requests) = drive_and_observe(&config, CancellationToken::new()).unwrap();
            assert_eq!(measured.ended, EndReason::Completed);
            // Exactly the share that was sent within the window: chance decides how many fall due, not what counts
            // as kept up.
            let in_time = requests
                .iter()
                .filter(|r| r.sent_ns < measured.window.end_ns)
                .count();
            assert_eq!(
                measured.achieved_per_s,
                500.0 * (in_time as f64 / requests.len() as f64)
            );
            assert!(
                measured.achieved_per_s > 400.0,
                "{flavor:?} achieved {}",
                measured.achieved_per_s
            );
            let mut due: Vec<u64> = requests
                .iter()
                .map(|r| r.due_ns - measured.window.start_ns)
                .collect();
            due.sort_unstable();
            due
        };
        assert_eq!(run(uniform(500.0), 1).len(), 1000);
        let first = run(poisson.clone(), 1);
        // Five standard deviations of a Poisson count of 1000.
        assert!(first.len().abs_diff(1000) < 158, "{}", first.len());
        assert_eq!(
            first,
            run(poisson.clone(), 1),
            "the same seed gives the same due times"
        );
        assert_ne!(first, run(poisson, 2));
    }
}

#[test]
fn requests_carry_their_times_and_are_late_by_the_documented_limit() {
    let _alone = alone();
    for &flavor in one_or_all(&FLAVORS) {
        let server = loaded(flavor);
        let config = config(
            server.target("logtrace"),
            "point_select",
            uniform(1000.0),
            Duration::from_secs(2),
        );
        let (measured, requests) = drive_and_observe(&config, CancellationToken::new()).unwrap();
        println!(
            "{flavor:?}: median lag {} ns, service {} ns, client CPU {} ns a request",
            measured.lag.value_at_quantile(0.5),
            measured.service.value_at_quantile(0.5),
            measured.client_cpu_ns / measured.requests
        );
        assert!(
            requests
                .iter()
                .all(|r| r.due_ns <= r.sent_ns && r.sent_ns < r.done_ns)
        );
        assert!(
            requests
                .iter()
                .all(|r| (measured.window.start_ns..measured.window.end_ns).contains(&r.due_ns))
        );
        let late = requests.iter().filter(|r| r.lag_ns() > 1_000_000).count() as u64;
        assert_eq!(measured.late, late);
    }
}

#[test]
fn a_user_with_a_password_is_driven_over_tcp_when_tcp_is_asked_for() {
    for flavor in FLAVORS {
        let port = free_port();
        let listen = format!("--port={port}");
        let server = Server::start(
            flavor,
            &["--skip-networking=OFF", "--bind-address=127.0.0.1", &listen],
        );
        server.run("CREATE USER bench@localhost IDENTIFIED BY 'pa55-word'");
        server.run("GRANT ALL ON *.* TO bench@localhost");
        let connection = Connection {
            endpoint: Endpoint::Tcp(Ipv4Addr::LOCALHOST.into(), port),
            user: "bench".into(),
            password: Some(Password::new("pa55-word")),
            database: None,
            tls: Tls {
                get_server_public_key: true,
                ..Tls::default()
            },
            server_uid: None,
        };
        let target = Target::new(&connection, "logtrace");
        load_dataset(&target, DATASET);
        let config = config(
            target.clone(),
            "point_select",
            uniform(100.0),
            Duration::from_secs(2),
        );
        let asked = "SELECT host FROM information_schema.processlist WHERE user = 'bench'";
        let (measured, _, hosts) = drive_disturbed(&config, CancellationToken::new(), Duration::ZERO, || {
            server.query::<String>(asked)
        });
        assert_eq!(measured.done, 200);
        // A connection through the socket shows no port.
        assert!(
            hosts.len() == 8 && hosts.iter().all(|host| host.contains(':')),
            "{hosts:?}"
        );

        let mut stranger = target;
        stranger.connection.password = Some(Password::new("wrong"));
        assert!(matches!(drop_database(&stranger), Err(DriveError::Connect(_))));
    }
}

/// A port that nobody listened on a moment ago.
fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().port()
}

/// Notes everything that it is told, and when.
#[derive(Default)]
struct Notes {
    windows: Vec<(u64, TimeRange)>,
    /// Stage, its seconds, requests done in the last one, and the number of their response times.
    progress: Vec<(Stage, u64, u64, u64)>,
}

#[derive(Clone, Default)]
struct Notebook(Rc<RefCell<Notes>>);

impl Watch for Notebook {
    fn window(&mut self, window: TimeRange) {
        self.0.borrow_mut().windows.push((now_ns(), window));
    }

    fn progress(&mut self, progress: &Progress<'_>) {
        let figures = (
            progress.stage,
            progress.seconds,
            progress.done_last_second,
            progress.response.len(),
        );
        self.0.borrow_mut().progress.push(figures);
    }
}

#[test]
fn the_window_is_announced_progress_is_told_and_the_log_holds_every_request() {
    let server = loaded(Flavor::Mariadb);
    let mut config = config(
        server.target("logtrace"),
        "update_key",
        uniform(300.0),
        Duration::from_secs(3),
    );
    config.warmup = Duration::from_millis(1500);
    let (mut notebook, mut log) = (Notebook::default(), Vec::new());
    let outputs = DriveOutputs {
        log: &mut log,
        watch: &mut notebook,
        observer: None,
        cancel: CancellationToken::new(),
    };
    let measured = drive(&config, outputs).unwrap();
    assert_adds_up(&measured);

    let notes = notebook.0.take();
    assert_eq!(notes.windows.len(), 1);
    let (told_ns, window) = notes.windows[0];
    assert!(told_ns < window.start_ns && window == measured.window);
    let stages: Vec<(Stage, u64)> = notes.progress.iter().map(|told| (told.0, told.1)).collect();
    for &(stage, _, done, responses) in &notes.progress {
        assert_eq!(responses, done, "{stage:?}");
    }
    assert_eq!(
        stages,
        [
            (Stage::Warmup, 1),
            (Stage::Window, 1),
            (Stage::Window, 2),
            (Stage::Window, 3)
        ]
    );
    assert!(
        measured.per_second[..3]
            .iter()
            .all(|done| done.abs_diff(300) < 100),
        "{:?}",
        measured.per_second
    );

    for tag in ["lag", "service", "response"] {
        assert_eq!(logged(&log, tag), measured.requests, "{tag}");
    }
}

/// Values of a tag in an interval log, and a check that intervals are a second long and follow each other.
fn logged(log: &[u8], tag: &str) -> u64 {
    let mut starts = Vec::new();
    let mut values = 0;
    for entry in IntervalLogIterator::new(log) {
        let LogEntry::Interval(interval) = entry.unwrap() else {
            continue;
        };
        if interval.tag().map(|tag| tag.as_str()) != Some(tag) {
            continue;
        }
        starts.push(interval.start_timestamp().as_secs());
        assert!(interval.duration() <= Duration::from_secs(1));
        let bytes = BASE64_STANDARD.decode(interval.encoded_histogram()).unwrap();
        let histogram = Deserializer::new()
            .deserialize::<u64, _>(&mut bytes.as_slice())
            .unwrap();
        values += histogram.len();
    }
    assert!(starts.iter().copied().eq(0..starts.len() as u64), "{starts:?}");
    values
}
