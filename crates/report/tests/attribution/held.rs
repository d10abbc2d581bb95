//! Commits that are held at the end of a window.

use logtrace_events::{Commit, LogNames, OffCpu, Record, TENTH_NS, Wake};
use logtrace_report::analysis::{Analysis, AnalysisConfig};
use logtrace_report::window::Window;

/// Where the window begins.
const START_NS: u64 = 50 * TENTH_NS;

#[test]
fn a_stall_that_outlasts_the_window_is_told_with_what_it_held() {
    let mut analysis = Analysis::new(AnalysisConfig {
        server_tgid: 1,
        logs: LogNames {
            binlog: "binlog".into(),
            slow_log: "slow.log".into(),
            general_log: "general.log".into(),
        },
        window: Window::new(START_NS, START_NS + 20 * TENTH_NS),
    });
    let mut push = |from_ns: u64, until_ns: u64| {
        analysis.push(Record::Commit(Commit {
            tid: 7,
            start_ns: START_NS + from_ns,
            end_ns: START_NS + until_ns,
        }));
    };
    for commit in 0..150 {
        let at_ns = commit * TENTH_NS / 10;
        push(at_ns, at_ns + 1000);
    }
    push(15 * TENTH_NS, 25 * TENTH_NS);
    // The measured time reaches as far as threads were seen.
    analysis.push(Record::OffCpu(OffCpu {
        tid: 9,
        out_ns: START_NS,
        in_ns: START_NS + 25 * TENTH_NS,
        wake: Wake::Preempted,
        syscall: None,
        stack: None,
    }));
    let breakdown = analysis.finish();
    assert_eq!(breakdown.commits.len(), 150, "it does not count");
    let slow: Vec<_> = breakdown
        .slow_tenths
        .iter()
        .map(|tenth| (tenth.at_ns / TENTH_NS, tenth.ended, tenth.under_way))
        .collect();
    let held: Vec<_> = (15..20).map(|tenth| (tenth, 0, 1)).collect();
    assert_eq!(slow, held);
    for tenth in &breakdown.slow_tenths {
        assert_eq!(tenth.causes.iter().map(|(_, ns)| ns).sum::<u64>(), TENTH_NS);
    }
}
