//! That what is remembered of threads explains commits exactly like a walk through all of them.

use logtrace_attribution::explain::{Memory, Segment, explain};
use logtrace_attribution::timelines::Timelines;
use logtrace_common::TimeRange;
use logtrace_events::{Commit, Record, ServerWait, Stack, Tid};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use super::damage::{damaged, damages, nonsense};
use super::drawn::stacks::functions;
use super::schedule::{FUTEX, SERVER, push};
use super::{crowd, schedule};

/// Both ways to explain commits, side by side.
struct Both {
    timelines: Timelines,
    memory: Memory,
}

impl Both {
    fn new(near: u32) -> Self {
        Self {
            timelines: Timelines::new(SERVER),
            memory: Memory::beyond(near),
        }
    }

    fn walked(&self, commit: &Commit) -> Vec<Segment> {
        let mut segments = Vec::new();
        explain(
            commit,
            &self.timelines,
            &mut Memory::beyond(u32::MAX),
            &mut segments,
        );
        segments
    }

    fn remembered(&mut self, commit: &Commit) -> Vec<Segment> {
        let mut segments = Vec::new();
        explain(commit, &self.timelines, &mut self.memory, &mut segments);
        segments
    }

    /// Takes all records, and compares each commit the moment that it came. At some, records are said to be lost.
    fn agree_on(&mut self, records: &[Record], losses: &[prop::sample::Index]) -> Result<(), TestCaseError> {
        let losses: Vec<usize> = losses
            .iter()
            .filter(|_| !records.is_empty())
            .map(|loss| loss.index(records.len()))
            .collect();
        for (at, record) in records.iter().enumerate() {
            let Ok(()) = push(&mut self.timelines, record) else {
                continue;
            };
            if let Record::Commit(commit) = record {
                if losses.contains(&at) {
                    self.timelines.push_lost(TimeRange::new(
                        commit.start_ns,
                        commit.start_ns / 2 + commit.end_ns / 2,
                    ));
                }
                for part in parts(commit) {
                    prop_assert_eq!(self.remembered(&part), self.walked(&part), "{:?}", part);
                }
            }
        }
        Ok(())
    }
}

/// Some of its nanoseconds, a middle, and the whole, and the same of another thread: what is remembered of one is asked for
/// another.
fn parts(commit: &Commit) -> Vec<Commit> {
    let &Commit {
        tid,
        start_ns,
        end_ns,
    } = commit;
    let length_ns = end_ns.saturating_sub(start_ns);
    let part = |tid: Tid, start_ns, end_ns| Commit {
        tid,
        start_ns,
        end_ns,
    };
    let step_ns = (length_ns / 8).max(1);
    let points = (0..length_ns.min(8)).map(|n| start_ns + n * step_ns);
    let mut parts: Vec<Commit> = points.map(|at_ns| part(tid, at_ns, at_ns + 1)).collect();
    parts.push(part(tid, start_ns + length_ns / 4, end_ns - length_ns / 4));
    parts.push(part(tid.wrapping_add(1), start_ns, end_ns));
    parts.push(*commit);
    parts
}

/// Wake-ups from a commit that are walked: none, and those of a run.
fn near() -> impl Strategy<Value = u32> {
    prop_oneof![Just(0), Just(2)]
}

fn losses() -> impl Strategy<Value = Vec<prop::sample::Index>> {
    proptest::collection::vec(any::<prop::sample::Index>(), 0..3)
}

/// The same records, with the functions of the server in which some threads waited.
fn with_functions(records: Vec<Record>) -> Vec<Record> {
    let functions: Vec<Stack> = functions().into_iter().map(|(_, stack)| stack).collect();
    let mut with: Vec<Record> = functions.iter().cloned().map(Record::ServerStack).collect();
    for record in records {
        let wait = match &record {
            Record::OffCpu(off) if off.syscall == Some(FUTEX) => {
                let number = (off.out_ns / 7 + u64::from(off.tid)) % (functions.len() as u64 + 2);
                let stack = functions.get(usize::try_from(number).unwrap());
                stack.map(|stack| ServerWait {
                    tid: off.tid,
                    in_ns: off.in_ns,
                    read_ns: off.in_ns,
                    stack: Some(stack.id),
                })
            }
            _ => None,
        };
        with.push(record);
        with.extend(wait.map(Record::ServerWait));
    }
    with
}

proptest! {
    #[test]
    fn waits_in_functions_are_explained_alike(records in schedule::records(), losses in losses(), near in near()) {
        Both::new(near).agree_on(&with_functions(records), &losses)?;
    }

    #[test]
    fn a_crowd_in_functions_is_explained_alike(records in crowd::records(), losses in losses(), near in near()) {
        Both::new(near).agree_on(&with_functions(records), &losses)?;
    }

    #[test]
    fn a_random_schedule_is_explained_alike(records in schedule::records(), losses in losses(), near in near()) {
        Both::new(near).agree_on(&records, &losses)?;
    }

    #[test]
    fn a_crowd_is_explained_alike(records in crowd::records(), losses in losses(), near in near()) {
        Both::new(near).agree_on(&records, &losses)?;
    }

    #[test]
    fn a_damaged_schedule_is_explained_alike(records in schedule::records(), damages in damages(), near in near()) {
        Both::new(near).agree_on(&damaged(records, damages), &[])?;
    }

    #[test]
    fn a_damaged_crowd_is_explained_alike(records in crowd::records(), damages in damages(), near in near()) {
        Both::new(near).agree_on(&damaged(records, damages), &[])?;
    }

    #[test]
    fn nonsense_is_explained_alike(records in proptest::collection::vec(nonsense(), 0..60), near in near()) {
        Both::new(near).agree_on(&records, &[])?;
    }
}

#[test]
fn crowds_make_long_convoys_of_which_most_is_remembered() {
    let mut runner = TestRunner::deterministic();
    let (mut longest, mut found, mut segments) = (0, 0, 0);
    for _ in 0..50 {
        let mut both = Both::new(0);
        for record in crowd::records().new_tree(&mut runner).unwrap().current() {
            push(&mut both.timelines, &record).unwrap();
            if let Record::Commit(commit) = record {
                let remembered = both.remembered(&commit).len();
                longest = longest.max(remembered);
                segments += remembered as u64;
            }
        }
        found += both.memory.found();
    }
    assert!(longest >= 50, "the longest is of {longest} segments");
    assert!(
        found < segments / 2,
        "{found} pieces were found out for {segments} segments"
    );
}
