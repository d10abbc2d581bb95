//! Signals: the first ends a run in order, the second at once, and SIGKILL leaves nothing that the next run does not
//! remove.

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use logtrace_report::document::CaveatKind;
use rustix::process::Signal;

use super::fixture::home::{Home, LONG, SHORT};
use super::fixture::started::Started;
use crate::common::{beside_others, driver, patiently, send, tells};

#[test]
fn a_signal_in_the_window_ends_the_run_with_what_was_measured() {
    let _turn = beside_others();
    for signal in [Signal::INT, Signal::TERM] {
        let home = Home::new();
        let run = home.start(&format!("--server mysql {LONG}")).measuring();
        run.signal(signal);
        let ended = run.ended();
        let document = ended.measured();
        assert!(
            tells(&document, &CaveatKind::Interrupted),
            "{:?}",
            document.caveats
        );
        assert!(driver(&document).done > 0 && document.commits.as_ref().unwrap().count > 0);
        assert!(ended.stdout.contains("report: "), "{}", ended.stdout);
        home.assert_nothing_left();
    }
}

/// A signal at a time when nothing is measured yet.
fn interrupted_early(arguments: &str, when: impl Fn(&Home) -> bool) {
    let _turn = beside_others();
    let home = Home::new();
    let run = home.start(arguments);
    run.waiting_for("the time of the signal", || when(&home));
    run.signal(Signal::INT);
    run.ended()
        .refused(1, &["interrupted before anything was measured"]);
    home.assert_untouched();
}

#[test]
fn a_signal_while_the_data_directory_is_copied() {
    interrupted_early(&format!("--server mysql {SHORT}"), |home| {
        !home.instance_dirs().is_empty()
    });
}

#[test]
fn a_signal_while_the_tables_are_loaded() {
    interrupted_early("--server mysql --tables 1 --rows 5000000", |home| {
        let instances = home.instance_dirs();
        instances
            .first()
            .is_some_and(|instance| instance.join("data/logtrace/sbtest1.ibd").exists())
    });
}

#[test]
fn a_signal_while_the_server_warms_up() {
    let arguments = "--server mariadb --tables 1 --rows 500 --rate 100/s --warmup 60s";
    interrupted_early(arguments, |home| {
        let runs = home.run_dirs();
        runs.first().is_some_and(|run| run.join("run.json").exists())
    });
}

#[test]
fn the_second_signal_does_not_wait_for_a_server_that_hangs() {
    let _turn = beside_others();
    let home = Home::new();
    let run = home.start(&format!("--server mysql {LONG}")).measuring();
    send(run.server(), Signal::STOP);
    run.signal(Signal::INT);
    let told = || {
        fs::read_to_string(home.path().join("stderr")).is_ok_and(|text| text.contains("press Ctrl-C again"))
    };
    run.waiting_for("word of the first signal", told);
    run.signal(Signal::INT);
    run.ended().refused(1, &["stopped at once"]);
    home.assert_untouched();
}

#[test]
fn a_killed_run_takes_its_server_along_and_can_be_reported() {
    let _turn = beside_others();
    let home = Home::new();
    let run = home.start(&format!("--server mysql {LONG}")).measuring();
    let server = run.server();
    run.signal(Signal::KILL);
    assert_eq!(run.ended().code, None);
    patiently("the server to die", || !is_alive(server));
    let [instance] = &home.instance_dirs()[..] else {
        panic!("{:?}", home.instance_dirs());
    };
    let [killed] = &home.run_dirs()[..] else {
        panic!("{:?}", home.run_dirs());
    };
    let mut command = home.logtrace("report");
    command.arg(killed);
    let report = Started::new(command, home.path()).ended();
    assert_eq!(report.code, Some(0), "{}", report.stderr);
    assert!(report.stdout.contains("unfinished_run"), "{}", report.stdout);
    fs::remove_dir_all(killed).unwrap();

    home.run(&format!("--server mysql --no-trace {SHORT}")).measured();
    assert!(!instance.exists(), "the next run removes it");
    home.assert_nothing_left();
}

/// Whether a process is there that is more than an entry for its parent.
fn is_alive(process: u32) -> bool {
    fs::read_to_string(Path::new("/proc").join(process.to_string()).join("stat"))
        .is_ok_and(|stat| !stat.contains(") Z "))
}

/// Bytes that a pipe holds (`PIPE_DEF_BUFFERS` in include/linux/pipe_fs_i.h).
const PIPE_BYTES: usize = 16 * 4096;

/// `logtrace run` that a shell started with a signal ignored, as `nohup` does, or with its usual disposition.
fn started_by_shell(home: &Home, signal: Signal, is_ignored: bool) -> Started {
    let logtrace = home.logtrace("");
    let trap = if is_ignored { "''" } else { "-" };
    let script = format!(
        "trap {trap} {}; exec {} run --server mariadb --no-trace --tables 1 --rows 500 --warmup 300ms --duration 4s --rate 200/s",
        signal.as_raw(),
        logtrace.get_program().to_str().unwrap(),
    );
    let mut shell = Command::new("bash");
    shell.arg("-c").arg(script);
    Started::new(home.at_home(shell, ""), home.path()).measuring()
}

#[test]
fn a_signal_that_was_ignored_stays_ignored_and_others_end_the_run() {
    let _turn = beside_others();
    for signal in [Signal::HUP, Signal::QUIT, Signal::TERM] {
        for is_ignored in [true, false] {
            let home = Home::new();
            let run = started_by_shell(&home, signal, is_ignored);
            run.signal(signal);
            let document = run.ended().measured();
            let case = format!("{signal:?}, ignored: {is_ignored}");
            assert_eq!(
                tells(&document, &CaveatKind::Interrupted),
                !is_ignored,
                "{case}: {:?}",
                document.caveats
            );
            home.assert_nothing_left();
        }
    }
}

#[test]
fn sigpipe_changes_nothing() {
    let _turn = beside_others();
    for is_ignored in [true, false] {
        let home = Home::new();
        let run = started_by_shell(&home, Signal::PIPE, is_ignored);
        run.signal(Signal::PIPE);
        let document = run.ended().measured();
        assert!(
            !tells(&document, &CaveatKind::Interrupted),
            "{:?}",
            document.caveats
        );
        home.assert_nothing_left();
    }
}

#[test]
fn the_second_signal_ends_a_main_thread_that_hangs_within_ten_seconds() {
    let _turn = beside_others();
    let home = Home::new();
    // Nobody reads, and there is no room for the report.
    let (_reader, mut full) = io::pipe().unwrap();
    full.write_all(&[b' '; PIPE_BYTES]).unwrap();
    let mut command = home.logtrace(&format!("run --no-trace --server mariadb {SHORT}"));
    command.stdout(full);
    let run = Started::with_stdout(command, home.path());
    run.waiting_for("the main thread to hang", || {
        let wchan = fs::read_to_string(format!("/proc/{}/wchan", run.id()));
        wchan.is_ok_and(|wchan| wchan.contains("pipe_write"))
    });
    run.signal(Signal::INT);
    run.waiting_for("word of the first signal", || {
        fs::read_to_string(home.path().join("stderr")).is_ok_and(|text| text.contains("press Ctrl-C again"))
    });
    run.signal(Signal::INT);
    let second = Instant::now();
    let ended = run.ended();
    assert!(
        second.elapsed() < Duration::from_secs(11),
        "{:?}",
        second.elapsed()
    );
    assert_eq!(ended.code, Some(1));
    assert!(ended.stderr.contains("something hangs"), "{}", ended.stderr);
    assert!(driver(&ended.document()).done > 0, "its files are whole");
    home.assert_nothing_left();
}
