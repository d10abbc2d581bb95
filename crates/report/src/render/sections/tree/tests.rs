//! Tests of the tree, its lines and its largest part.

use std::cmp::Reverse;

use logtrace_attribution::cause::{Cause, Wait, WaitKind, Who};
use logtrace_common::FileClass;
use logtrace_events::IoOp;
use proptest::prelude::*;
use strum::IntoEnumIterator;

use super::lines::TreeLine;
use super::node::{MOST_LINES, Node, tree};
use super::*;

const CLASSES: [FileClass; 6] = [
    FileClass::Binlog,
    FileClass::Redo,
    FileClass::Undo,
    FileClass::Data,
    FileClass::Temporary,
    FileClass::Other,
];

fn on(class: FileClass, op: IoOp, wait: Wait) -> Cause {
    Cause {
        who: Who::Own,
        io: Some((class, op)),
        wait,
    }
}

fn shown(times: &[(Cause, u64)]) -> Vec<String> {
    text(&lines(&tree(times.iter().copied())))
}

#[test]
fn files_have_calls_and_calls_have_waits() {
    let times = [
        (on(FileClass::Binlog, IoOp::Fsync, Wait::JournalCommit), 270),
        (on(FileClass::Binlog, IoOp::Fsync, Wait::DeviceFlush), 90),
        (on(FileClass::Binlog, IoOp::Write, Wait::OnCpu), 50),
        (
            Cause {
                who: Who::Leader,
                ..on(FileClass::Redo, IoOp::Fsync, Wait::DeviceFlush)
            },
            240,
        ),
        (on(FileClass::Redo, IoOp::Fsync, Wait::DeviceFlush), 70),
        (Cause::own(Wait::RedoCopy), 140),
        (Cause::own(Wait::OnCpu), 80),
        (Cause::own(Wait::RunQueue), 55),
        (Cause::UNEXPLAINED, 5),
    ];
    assert_eq!(
        shown(&times),
        [
            "├ binlog               41 %",
            "│ ├ fsync              36 %  journal commit 27, device flush 9",
            "│ └ write               5 %  on CPU 5",
            "├ redo fsync           31 %  device flush 31",
            "├ other transactions   14 %  redo of another transaction 14",
            "├ CPU                   8 %  on CPU 8",
            "├ scheduling            6 %  run queue 6",
            "└ unexplained           0 %",
        ]
    );
    let largest = largest(times.into_iter()).unwrap();
    assert_eq!(
        (largest.branch.as_str(), largest.leaf.as_str(), largest.percent),
        ("binlog", "fsync journal commit", 27)
    );
    assert_eq!(
        (largest.branch_percent, largest.is_most, largest.is_all),
        (41, true, false)
    );
}

#[test]
fn a_call_below_a_percent_has_no_line() {
    let times = [
        (on(FileClass::Binlog, IoOp::Fsync, Wait::JournalCommit), 600),
        (on(FileClass::Binlog, IoOp::Fsync, Wait::OnCpu), 391),
        (on(FileClass::Binlog, IoOp::Write, Wait::OnCpu), 9),
    ];
    let expected = "└ binlog  100 %  fsync journal commit 60, fsync on CPU 39, write on CPU 1";
    assert_eq!(shown(&times), [expected]);
}

#[test]
fn nothing_has_no_lines() {
    assert_eq!(shown(&[]), Vec::<String>::new());
    assert_eq!(largest([].into_iter()), None);
}

#[test]
fn waits_without_room_become_one() {
    let waits: Vec<Wait> = Wait::iter()
        .filter(|wait| wait.kind() == WaitKind::Transactions)
        .collect();
    let times: Vec<_> = waits.iter().map(|&wait| (Cause::own(wait), 10)).collect();
    let [line] = &shown(&times)[..] else {
        panic!("one line");
    };
    assert!(line.contains(" others "), "{line}");
    assert!(line.chars().count() <= 80, "{line}");
}

fn times() -> impl Strategy<Value = Vec<(Cause, u64)>> {
    let waits: Vec<Wait> = Wait::iter().collect();
    let io = proptest::option::of((
        proptest::sample::select(CLASSES.to_vec()),
        prop_oneof![Just(IoOp::Write), Just(IoOp::Fsync)],
    ));
    let who = prop_oneof![Just(Who::Own), Just(Who::Leader), Just(Who::Session)];
    let size = prop_oneof![0u64..100, 0u64..1 << 40];
    let cause = (who, io, proptest::sample::select(waits));
    let row = (cause.prop_map(|(who, io, wait)| Cause { who, io, wait }), size);
    proptest::collection::vec(row, 0..60)
}

/// Checks that each level sums to the one above and has its largest part first.
fn check(node: &Node) {
    if !node.parts.is_empty() {
        assert_eq!(
            node.parts.iter().map(|part| part.ns).sum::<u64>(),
            node.ns,
            "{node:?}"
        );
    }
    assert!(node.parts.is_sorted_by_key(|part| Reverse(part.ns)), "{node:?}");
    node.parts.iter().for_each(check);
}

/// Checks that shares of lines at one depth sum to that above.
fn check_percents(lines: &[TreeLine]) {
    let depth = |line: &TreeLine| line.edge.chars().count() / 2;
    let branches = lines.iter().filter(|line| depth(line) == 1);
    assert_eq!(branches.map(|line| line.percent).sum::<u64>(), 100);
    for (at, line) in lines.iter().enumerate() {
        let calls = lines[at + 1..]
            .iter()
            .take_while(|below| depth(below) > depth(line));
        let calls: Vec<u64> = calls.map(|call| call.percent).collect();
        let parts = match calls.is_empty() {
            true => line.waits.iter().map(|wait| wait.percent).collect(),
            false => calls,
        };
        assert!(
            parts.is_empty() || parts.iter().sum::<u64>() == line.percent,
            "{line:?}"
        );
    }
}

proptest! {
    #[test]
    fn the_share_of_a_line_is_the_one_that_it_shows_and_any_other_is_near_the_exact_one(times in times(), chosen in any::<u8>()) {
        let whole = tree(times.iter().copied());
        prop_assume!(whole.ns > 0);
        let ns = |is_chosen: &dyn Fn(Cause) -> bool| {
            times.iter().filter(|(cause, _)| is_chosen(*cause)).map(|(_, ns)| ns).sum::<u64>()
        };
        // What is unexplained is a branch of its own.
        let binlog = |cause: Cause| {
            let is_binlog = cause.io.is_some_and(|(class, _)| class == FileClass::Binlog);
            is_binlog && cause.wait != Wait::Unexplained
        };
        if let Some(line) = lines(&whole).into_iter().find(|line| line.name == "binlog") {
            prop_assert_eq!(percent_of(&whole, ns(&binlog), binlog), line.percent);
        }
        let some = |cause: Cause| cause.wait as u8 % 7 <= chosen % 7;
        let exact = 100.0 * ns(&some) as f64 / whole.ns as f64;
        prop_assert!((percent_of(&whole, ns(&some), some) as f64 - exact).abs() < 1.0);
    }

    #[test]
    fn each_level_sums_to_the_one_above_in_at_most_ten_lines_of_eighty_columns(times in times()) {
        let whole = tree(times.iter().copied());
        prop_assert_eq!(whole.ns, times.iter().map(|(_, ns)| ns).sum::<u64>());
        check(&whole);
        let lines = lines(&whole);
        prop_assert!(lines.len() < MOST_LINES, "{:?}", lines);
        if whole.ns > 0 {
            check_percents(&lines);
        }
        for text in text(&lines) {
            prop_assert!(text.chars().count() <= 80, "{}", text);
        }
    }

    #[test]
    fn what_is_unexplained_is_a_branch_of_its_own(times in times()) {
        let unexplained = times.iter().filter(|(cause, _)| cause.wait == Wait::Unexplained);
        let ns: u64 = unexplained.map(|(_, ns)| ns).sum();
        let whole = tree(times.iter().copied());
        let found = whole.parts.iter().find(|branch| branch.name == "unexplained");
        prop_assert_eq!(found.map_or(0, |branch| branch.ns), ns);
    }
}
