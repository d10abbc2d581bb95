//! Threads that could run and did not: who had the CPU is found by name, and a quota by its length.

use std::process::Command;
use std::thread;
use std::time::Duration;

use logtrace_attribution::cause::Wait;
use logtrace_common::Detail;
use logtrace_laboratory::cgroup::Cgroup;
use logtrace_testkit::one_or_all;

use super::nanoseconds;
use crate::common::hog::{Hog, pin_to_cpu_0};
use crate::common::{Running, SERVERS, alone, share};
use crate::shapes::probe::Client;

/// Period of a quota, as the laboratory sets it.
const PERIOD: Duration = Duration::from_millis(100);

#[test]
fn a_process_that_takes_the_servers_cpu_is_named() {
    let _alone = alone();
    for server in one_or_all(&SERVERS) {
        let mut client = Client::new(server, &[]);
        pin_to_cpu_0(client.pid());
        let hog = Hog::on_cpu_0();
        let seen = client.traced(20, &["INSERT INTO t (v) VALUES (1)"]);
        drop(hog);
        let stacks = &seen.breakdown.stacks.commit;
        let is_named = |frames: &[String]| frames.iter().any(|frame| frame == "yes");
        assert!(
            stacks.iter().any(|stack| is_named(&stack.frames)),
            "{server}: {stacks:?}"
        );
        let processes = &seen.breakdown.holders.processes;
        // A busy machine has others.
        let is_hog = processes
            .iter()
            .any(|process| process.name == "yes" && process.cpu > 0);
        assert!(is_hog, "{server}: {processes:?}");
        client.stop();
    }
}

/// Returns how long the group has waited when it waits no longer. A thread is held up in its statement once more when it
/// has sent the reply and the quota is used up; the kernel counts that at the end of the period.
fn settled(quota: &Cgroup) -> Duration {
    let mut last = quota.throttled().unwrap();
    loop {
        thread::sleep(3 * PERIOD);
        let throttled = quota.throttled().unwrap();
        if throttled == last {
            return last;
        }
        last = throttled;
    }
}

#[test]
fn a_quota_is_as_long_as_the_kernel_says() {
    let _alone = alone();
    for server in one_or_all(&SERVERS) {
        let quota = Cgroup::new("cpu").unwrap();
        quota.limit_cpu(Some(20)).unwrap();
        let mut client = Client::new(server, &[]);
        // The kernel adds up the time of all CPUs on which the group has a thread.
        pin_to_cpu_0(client.pid());
        quota.add(client.pid()).unwrap();
        let mut expected = Duration::ZERO;
        let seen = client.traced_at(Detail::Full, |client| {
            client.execute("DO 1");
            let before = settled(&quota);
            // Short enough for the history of a thread, 2 s, where others have its CPU a thousand times.
            client.execute("SELECT BENCHMARK(30000000, RAND())");
            expected = settled(&quota) - before;
            client.execute("DO 1");
            client.execute("DO 1");
        });
        let found = Duration::from_nanos(nanoseconds(&seen, false, Wait::Throttled));
        let ratio = found.as_secs_f64() / expected.as_secs_f64();
        assert!(
            (0.9..1.1).contains(&ratio),
            "{server}: {found:?} of {expected:?}, {:?}",
            seen.breakdown.statements
        );
        client.stop();
    }
}

#[test]
fn a_load_generator_on_the_servers_cpu_is_named() {
    let _alone = alone();
    for server in one_or_all(&SERVERS) {
        let mut pinned = Command::new("taskset");
        pinned.args(["--cpu-list", "0", env!("CARGO_BIN_EXE_logtrace")]);
        let arguments = format!(
            "run --server {server} --workload update_key --connections 8 --max --warmup 500ms --duration 3s"
        );
        let document = Running::start_as(pinned, &arguments).ended().document();
        let behind = |wait| share(&document, |row| row.cause.wait == wait);
        assert!(
            behind(Wait::RunQueueLoad) > 0.01,
            "{server}: {:?}",
            document.causes
        );
        assert!(
            behind(Wait::RunQueueLoad) > behind(Wait::RunQueueProcess),
            "{server}: {:?}",
            document.causes
        );
    }
}
