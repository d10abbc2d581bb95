//! Commits that a stall holds over an end of the window.

use logtrace_attribution::analysis::{Analysis, AnalysisConfig};
use logtrace_common::{LogNames, STALL_BUCKET_NS, TimeRange};
use logtrace_events::{Commit, CpuWait, OffCpu, Record, Wake};

/// Where the window begins.
const START_NS: u64 = 50 * STALL_BUCKET_NS;

#[test]
fn a_stall_that_outlasts_the_window_is_told_with_what_it_held() {
    let mut analysis = Analysis::new(AnalysisConfig {
        server_tgid: 1,
        logs: LogNames {
            binlog: "binlog".into(),
            slow_log: "slow.log".into(),
            general_log: "general.log".into(),
        },
        window: TimeRange::new(START_NS, START_NS + 20 * STALL_BUCKET_NS),
    });
    let mut push_of = |tid, start_ns, end_ns| {
        analysis.push(Record::Commit(Commit {
            tid,
            start_ns,
            end_ns,
        }));
    };
    // This one is over when the window begins, and this one is not.
    push_of(7, START_NS - 9 * STALL_BUCKET_NS, START_NS - 1);
    push_of(8, START_NS - 5 * STALL_BUCKET_NS, START_NS);
    let mut push = |from_ns, until_ns| push_of(7, START_NS + from_ns, START_NS + until_ns);
    for commit in 0..150 {
        let at_ns = commit * STALL_BUCKET_NS / 10;
        push(at_ns, at_ns + 1000);
    }
    push(15 * STALL_BUCKET_NS, 25 * STALL_BUCKET_NS);
    // The measured time reaches as far as threads were seen.
    analysis.push(Record::OffCpu(OffCpu {
        tid: 9,
        out_ns: START_NS,
        in_ns: START_NS + 25 * STALL_BUCKET_NS,
        wake: Wake::Preempted,
        syscall: None,
        stack: None,
        cpu_wait: CpuWait::Unknown,
    }));
    let breakdown = analysis.finish();
    assert_eq!(breakdown.commits.count, 152);
    let held_ns = 10 * STALL_BUCKET_NS + 5 * STALL_BUCKET_NS;
    assert_eq!(breakdown.commits.total, 150 * 1000 + held_ns);
    assert_eq!(breakdown.commits.per_second, [101, 51]);
    let slow: Vec<_> = breakdown
        .commits
        .slow_tenths
        .iter()
        .map(|tenth| (tenth.at / STALL_BUCKET_NS, tenth.ended, tenth.under_way))
        .collect();
    let held: Vec<_> = (15..20).map(|tenth| (tenth, 0, 1)).collect();
    assert_eq!(slow, held);
    for tenth in &breakdown.commits.slow_tenths {
        assert_eq!(
            tenth.causes.iter().map(|row| row.total).sum::<u64>(),
            STALL_BUCKET_NS
        );
    }
}
