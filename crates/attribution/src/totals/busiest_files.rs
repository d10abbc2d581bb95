//! Totals of the busiest files one by one, and of all others by class.
//!
//! A distribution takes some 20 kB. A server with 100,000 tables would take gigabytes, if each had its own.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use logtrace_common::FileClass;
use logtrace_events::{FileId, Io, IoOp};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::timeline::SyncWaits;
use crate::totals::histogram::Durations;

/// Limit on distributions: 1,000 files that are written and synced.
const MAX_BUSIEST: usize = 2_000;

/// Number of calls on other files after which the busiest are chosen anew.
const CALLS_A_CHOICE: u32 = 1 << 16;

/// Limit on other files that are compared, and limit on other files that are counted.
const MAX_OTHERS: usize = 1 << 17;

/// Significant digits of the distributions.
const DIGITS: u8 = 2;

/// File, operation, and class of the file at the calls: its name may change.
type FileOperation = (FileId, IoOp, FileClass);

/// Totals of the busiest files, and of the others.
#[derive(Debug, Default)]
pub(crate) struct BusiestFiles {
    busiest: FxHashMap<FileOperation, Calls>,
    others: BTreeMap<(FileClass, IoOp), Calls>,
    /// Files whose calls are among those of `others`.
    counted: FxHashSet<FileOperation>,
    /// Time of the calls on other files, for the next choice.
    candidates: FxHashMap<FileOperation, u64>,
    /// Number of calls on other files since the last choice.
    calls: u32,
}

/// Sums over the system calls of one operation, on one file or on many.
#[derive(Debug)]
pub(crate) struct Calls {
    pub(crate) class: FileClass,
    /// Path of the file when its calls began to be counted.
    pub(crate) path: Option<String>,
    /// Number of files.
    pub(crate) files: u64,
    pub(crate) bytes: u64,
    pub(crate) durations: Durations,
    pub(crate) waits: SyncWaits,
    pub(crate) errors: u64,
    /// Time of the calls before it was among the busiest.
    before_ns: u64,
}

impl BusiestFiles {
    /// Counts a system call on a file of this class. `path` returns the file's path.
    pub(crate) fn count(
        &mut self,
        io: &Io,
        class: FileClass,
        waits: SyncWaits,
        path: impl FnOnce() -> Option<String>,
    ) {
        let target = (io.file, io.op, class);
        if let Some(calls) = self.busiest.get_mut(&target) {
            calls.path = calls.path.take().or_else(path);
            calls.add(io, waits);
        } else if self.busiest.len() < MAX_BUSIEST {
            let mut calls = Calls::new(class, path());
            calls.add(io, waits);
            self.busiest.insert(target, calls);
        } else {
            self.count_other(io, class, waits);
        }
    }

    /// Returns the busiest files, and the others by class and operation.
    pub(crate) fn into_parts(
        self,
    ) -> (
        impl Iterator<Item = (FileOperation, Calls)>,
        impl Iterator<Item = (IoOp, Calls)>,
    ) {
        let others = self.others.into_iter().map(|((_, op), calls)| (op, calls));
        let busiest = self.busiest.into_iter();
        (busiest.filter(|(_, calls)| calls.durations.count() > 0), others)
    }

    fn count_other(&mut self, io: &Io, class: FileClass, waits: SyncWaits) {
        let target = (io.file, io.op, class);
        let is_new = self.counted.len() < MAX_OTHERS && self.counted.insert(target);
        let calls = self.other_mut(class, io.op);
        calls.files += u64::from(is_new);
        calls.add(io, waits);
        *self.candidates.entry(target).or_default() += io.exit_ns - io.enter_ns;
        self.calls += 1;
        if self.calls >= CALLS_A_CHOICE {
            self.calls = 0;
            self.choose();
        }
    }

    fn other_mut(&mut self, class: FileClass, op: IoOp) -> &mut Calls {
        let calls = self.others.entry((class, op));
        calls.or_insert_with(|| Calls {
            files: 0,
            ..Calls::new(class, None)
        })
    }

    /// Gives the places of the least busy to files that are busier by now. What was counted stays where it is.
    fn choose(&mut self) {
        let mut candidates: Vec<(u64, FileOperation)> = self
            .candidates
            .iter()
            .map(|(&target, &ns)| (ns, target))
            .collect();
        candidates.sort_unstable_by_key(|&candidate| Reverse(candidate));
        let mut least: Vec<(u64, FileOperation)> = self
            .busiest
            .iter()
            .map(|(&target, calls)| (calls.rank_ns(), target))
            .collect();
        least.sort_unstable();
        let swaps = candidates.iter().zip(&least);
        for (&(ns, target), &(_, old)) in swaps.take_while(|(new, old)| new.0 > old.0) {
            self.candidates.remove(&target);
            self.fold(old);
            // Its row begins with its next call, which has its path.
            let calls = Calls {
                before_ns: ns,
                ..Calls::new(target.2, None)
            };
            self.busiest.insert(target, calls);
        }
        if candidates.len() > MAX_OTHERS {
            let bound_ns = candidates[MAX_OTHERS / 2].0;
            self.candidates.retain(|_, ns| *ns > bound_ns);
        }
    }

    /// Adds the calls on one of the busiest files to those of the others.
    fn fold(&mut self, target: FileOperation) {
        let Some(calls) = self.busiest.remove(&target) else {
            return;
        };
        self.candidates.insert(target, calls.rank_ns());
        if calls.durations.count() == 0 {
            return;
        }
        let is_new = self.counted.len() < MAX_OTHERS && self.counted.insert(target);
        let others = self.other_mut(calls.class, target.1);
        others.files += u64::from(is_new);
        others.merge(&calls);
    }
}

impl Calls {
    fn new(class: FileClass, path: Option<String>) -> Self {
        Self {
            class,
            path,
            files: 1,
            bytes: 0,
            durations: Durations::new(DIGITS),
            waits: SyncWaits::default(),
            errors: 0,
            before_ns: 0,
        }
    }

    fn add(&mut self, io: &Io, waits: SyncWaits) {
        if io.op == IoOp::Write {
            // A negative result is an error number.
            let written = u64::try_from(io.ret).unwrap_or(0);
            self.bytes = self.bytes.saturating_add(written);
        }
        self.durations.add(io.exit_ns - io.enter_ns);
        self.errors += u64::from(io.ret < 0);
        self.waits.flush += waits.flush;
        self.waits.journal += waits.journal;
    }

    fn merge(&mut self, other: &Self) {
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.durations.merge(&other.durations);
        self.errors += other.errors;
        self.waits.flush += other.waits.flush;
        self.waits.journal += other.waits.journal;
    }

    /// Returns the time of all calls, those before it was among the busiest included.
    fn rank_ns(&self) -> u64 {
        self.before_ns + self.durations.total_ns
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn write(ino: u64, length_ns: u64) -> Io {
        Io {
            tid: 1,
            enter_ns: 1_000,
            exit_ns: 1_000 + length_ns,
            file: FileId {
                dev: 8,
                ino,
                generation: 0,
            },
            op: IoOp::Write,
            ret: 10,
        }
    }

    fn count(files: &mut BusiestFiles, ino: u64, length_ns: u64) {
        let io = write(ino, length_ns);
        files.count(&io, FileClass::Data, SyncWaits::default(), || {
            Some(format!("t{ino}.ibd"))
        });
    }

    #[test]
    fn a_hundred_thousand_files_take_the_memory_of_a_few() {
        let mut files = BusiestFiles::default();
        for ino in 0..100_000 {
            count(&mut files, ino, 5);
        }
        assert_eq!(files.busiest.len(), MAX_BUSIEST);
        let others = files
            .others
            .values()
            .map(|calls| (calls.files, calls.durations.count()));
        assert_eq!(others.collect::<Vec<_>>(), [(98_000, 98_000)]);
        for ino in 0..400_000 {
            count(&mut files, ino, ino % 97);
        }
        assert!(files.busiest.len() <= MAX_BUSIEST && files.others.len() == 1);
        assert!(files.counted.len() <= MAX_OTHERS);
        assert!(files.candidates.len() <= MAX_OTHERS + CALLS_A_CHOICE as usize);
    }

    #[test]
    fn a_file_that_becomes_busy_later_has_a_row() {
        let mut files = BusiestFiles::default();
        for ino in 0..=MAX_BUSIEST as u64 {
            count(&mut files, ino, 5);
        }
        let late = MAX_BUSIEST as u64;
        for _ in 0..2 * CALLS_A_CHOICE {
            count(&mut files, late, 100);
        }
        let (busiest, others) = files.into_parts();
        let row = busiest
            .into_iter()
            .find(|((id, ..), _)| id.ino == late)
            .unwrap()
            .1;
        assert_eq!(
            (row.path.as_deref(), row.class),
            (Some("t2000.ibd"), FileClass::Data)
        );
        let others: u64 = others.map(|(_, calls)| calls.durations.count()).sum();
        // Its own first calls, and the only call of the file that had the place.
        assert_eq!(others, u64::from(CALLS_A_CHOICE) + 1);
        assert_eq!(row.durations.count(), u64::from(CALLS_A_CHOICE) + 1);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8))]

        #[test]
        fn no_call_is_lost_or_counted_twice(factor in 1u64..1_000_000, spread in 1u64..20_000) {
            let mut files = BusiestFiles::default();
            let (mut calls, mut total_ns) = (0, 0);
            for number in 0..200_000u64 {
                let length_ns = number.wrapping_mul(factor) % 1_009;
                count(&mut files, number.wrapping_mul(factor) % spread, length_ns);
                (calls, total_ns) = (calls + 1, total_ns + length_ns);
            }
            let (busiest, others) = files.into_parts();
            let all: Vec<Calls> = busiest.map(|(_, calls)| calls).chain(others.map(|(_, calls)| calls)).collect();
            prop_assert_eq!(all.iter().map(|of| of.durations.count()).sum::<u64>(), calls);
            prop_assert_eq!(all.iter().map(|of| of.durations.total_ns).sum::<u64>(), total_ns);
            prop_assert_eq!(all.iter().map(|of| of.bytes).sum::<u64>(), 10 * calls);
        }
    }
}
