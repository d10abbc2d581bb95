//! CPUs that threads may run on.

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::io;
use std::str::FromStr;

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use thiserror::Error;

/// CPUs by their numbers, such as `0,2-3`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cpus(BTreeSet<usize>);

/// Error for text that does not list CPUs.
#[derive(Debug, Error)]
#[error("{0:?} does not list CPUs: write their numbers as 0,2-3")]
pub struct InvalidCpus(String);

impl Cpus {
    /// Returns the CPUs that this thread may run on (`sched_getaffinity(2)`).
    pub fn allowed() -> io::Result<Self> {
        let set = sched_getaffinity(None)?;
        let numbers = (0..CpuSet::MAX_CPU).filter(|&cpu| set.is_set(cpu));
        Ok(Self(numbers.collect()))
    }

    /// Returns the CPUs that are online (`/sys/devices/system/cpu/online`).
    pub fn online() -> io::Result<Self> {
        let text = fs::read_to_string("/sys/devices/system/cpu/online")?;
        text.trim_end().parse().map_err(io::Error::other)
    }

    /// Returns their numbers, the smallest first.
    pub fn numbers(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().copied()
    }

    /// Makes this thread, and those that it starts from now on, run on these CPUs alone (`sched_setaffinity(2)`).
    pub fn take(&self) -> io::Result<()> {
        Ok(sched_setaffinity(None, &self.set())?)
    }

    /// Returns the CPUs that are not among others.
    pub fn without(&self, others: &Self) -> Option<Self> {
        let missing: BTreeSet<usize> = self.0.difference(&others.0).copied().collect();
        (!missing.is_empty()).then_some(Self(missing))
    }

    /// Returns the CPUs as the kernel reads them.
    pub(crate) fn set(&self) -> CpuSet {
        let mut set = CpuSet::new();
        for &cpu in &self.0 {
            set.set(cpu);
        }
        set
    }
}

impl FromStr for Cpus {
    type Err = InvalidCpus;

    fn from_str(text: &str) -> Result<Self, InvalidCpus> {
        let number = |text: &str| text.parse().ok().filter(|&cpu| cpu < CpuSet::MAX_CPU);
        let range = |part: &str| {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let range = number(first)?..=number(last)?;
            (!range.is_empty()).then_some(range)
        };
        let ranges: Option<Vec<_>> = text.split(',').map(range).collect();
        let ranges = ranges.ok_or_else(|| InvalidCpus(text.to_owned()))?;
        Ok(Self(ranges.into_iter().flatten().collect()))
    }
}

impl fmt::Display for Cpus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.0.iter().copied().peekable();
        let mut separator = "";
        while let Some(first) = rest.next() {
            let mut last = first;
            while let Some(next) = rest.next_if_eq(&(last + 1)) {
                last = next;
            }
            write!(f, "{separator}{first}")?;
            if last > first {
                write!(f, "-{last}")?;
            }
            separator = ",";
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cpus(text: &str) -> Cpus {
        text.parse().unwrap()
    }

    #[test]
    fn lists_are_read_and_written_with_ranges() {
        for (text, written) in [("0", "0"), ("3,0,1-2", "0-3"), ("7,2-3", "2-3,7")] {
            assert_eq!(cpus(text).to_string(), written);
        }
        for text in ["", "a", "1-", "3-1", "-1", "0,,1", "99999", "0 1"] {
            text.parse::<Cpus>().unwrap_err();
        }
    }

    #[test]
    fn cpus_that_may_be_used_are_online() {
        assert_eq!(Cpus::allowed().unwrap().without(&Cpus::online().unwrap()), None);
    }

    #[test]
    fn what_others_lack_is_named() {
        assert_eq!(cpus("0-3").without(&cpus("0-1")), Some(cpus("2-3")));
        assert_eq!(cpus("1").without(&cpus("0-1")), None);
    }

    #[test]
    fn a_thread_runs_where_it_is_put_and_so_do_those_that_it_starts() {
        let allowed = Cpus::allowed().unwrap();
        let first = cpus(&allowed.0.first().unwrap().to_string());
        let inner = first.clone();
        let work = move || {
            inner.take().unwrap();
            std::thread::spawn(|| Cpus::allowed().unwrap()).join().unwrap()
        };
        // A thread of its own: the others of this program stay where they are.
        assert_eq!(std::thread::spawn(work).join().unwrap(), first);
        assert_eq!(Cpus::allowed().unwrap(), allowed);
    }
}
