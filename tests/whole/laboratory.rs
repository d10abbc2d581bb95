//! A part of the laboratory: known causes, put into real servers, are found under their names with their sizes. Needs root.

use std::path::Path;
use std::time::Duration;

use logtrace_common::Flavor;
use logtrace_laboratory::comparison::{CausePair, Gain, sum};
use logtrace_laboratory::experiment::Experiment;
use logtrace_laboratory::experiments::all;
use logtrace_laboratory::table::FOUND;
use logtrace_testkit::one_or_all;

use crate::common::alone;

/// Pairs of windows before this machine is too busy to say anything.
const PAIRS: usize = 4;

const LENGTH: Duration = Duration::from_millis(1500);

fn find(name: &str) -> Experiment {
    all()
        .into_iter()
        .find(|experiment| experiment.name == name)
        .unwrap()
}

/// Measures pairs until the cause is found in their sum, or there are enough of them.
fn gain(experiment: &Experiment, flavor: Flavor) -> Gain {
    let program = Path::new(env!("CARGO_BIN_EXE_logtrace"));
    let mut setup = (experiment.start)(flavor).unwrap();
    let mut gains = Vec::new();
    while gains.len() < PAIRS {
        let of = |cause: &_| (experiment.is_expected)(flavor, cause);
        let mut done = |pair: &CausePair| gains.push(Gain::of(pair, of));
        setup.pairs(program, 1, LENGTH, &mut done).unwrap();
        if FOUND.contains(&sum(gains.iter().cloned()).share_found()) {
            break;
        }
    }
    setup.stop().unwrap();
    sum(gains)
}

fn is_found(name: &str) {
    let _alone = alone();
    let experiment = find(name);
    for &flavor in one_or_all(&[Flavor::MySql, Flavor::MariaDb]) {
        let gain = gain(&experiment, flavor);
        println!(
            "{name}, {flavor}: {:.3} of {:.3} s",
            gain.share_found(),
            gain.put_in / 1e9
        );
        assert!(FOUND.contains(&gain.share_found()), "{name}, {flavor}: {gain:?}");
    }
}

#[test]
fn a_quota() {
    is_found("quota");
}

#[test]
fn a_process_on_the_servers_only_cpu() {
    is_found("hog");
}

#[test]
fn a_server_that_is_stopped() {
    is_found("stopped");
}

#[test]
fn a_slow_log_on_a_slow_file_system() {
    is_found("slow-log");
}

#[test]
fn a_delay_of_the_group_commit() {
    is_found("group-delay");
}

#[test]
fn a_limit_on_dirty_pages() {
    is_found("dirty-limit");
}

#[test]
fn flushes_of_a_device() {
    is_found("device-flush");
}

#[test]
#[ignore = "long: each experiment whose cause the kernel or the server names, on both servers"]
fn all_other_causes() {
    for name in [
        "both-fsync",
        "device-write",
        "freeze",
        "row-lock",
        "read-lock",
        "backup-lock",
        "semisync",
    ] {
        is_found(name);
    }
}
