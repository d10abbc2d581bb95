//! Records that the tracer saw and lost, and the CPU time that it used.

pub(crate) mod calibration;
pub(crate) mod call_page;
pub(crate) mod cost;
pub(crate) mod cpu_times;
pub(crate) mod misses;
pub(crate) mod program_runs;
pub(crate) mod timing;

use std::collections::BTreeMap;

use logtrace_common::units;
use logtrace_events::Losses;

use crate::overhead::calibration::{Calibration, ProgramEntry};
use crate::overhead::cost::Estimate;
use crate::overhead::cpu_times::CpuTimes;
use crate::overhead::program_runs::{ANY_CALL, EACH_CALL, Runs};

/// Account of the tracer since its start.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Account {
    /// Number of records read.
    pub events: u64,
    /// Number of records that the kernel side could not store or match.
    pub losses: Losses,
    /// Accounts of the probes.
    pub probes: Vec<ProbeAccount>,
    /// Probes that never fire any more, because the server runs a copy of their code.
    pub moved_probes: Vec<&'static str>,
    /// Time of the machine's CPUs.
    pub cpu_times: CpuTimes,
    /// CPU time of the thread that reads the rings.
    pub(crate) drain_cpu_ns: u64,
    /// Records that the sink took (may be fewer than were read), and its CPU time.
    pub(crate) delivered: Delivered,
    /// Runs of the programs of the kernel side.
    pub(crate) programs: BTreeMap<&'static str, Runs>,
    /// Time of this account (`CLOCK_MONOTONIC`), and the time in which the system calls of the machine were counted, in
    /// nanoseconds.
    pub(crate) at_ns: u64,
    pub(crate) calls_counted_ns: u64,
    /// Cost of what is around the programs.
    pub(crate) calibration: Calibration,
}

/// Account of a probe.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProbeAccount {
    /// Name in the probe table.
    pub name: &'static str,
    /// Place at which it is attached.
    pub place: String,
    /// Reason why it is not attached, and the consequence.
    pub missing: Option<String>,
    /// Program of the kernel side. Several probes may share one.
    pub program: &'static str,
    /// Way to the program.
    pub(crate) entry: ProgramEntry,
}

/// Records that the sink took, and their cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Delivered {
    pub(crate) records: u64,
    /// CPU time in nanoseconds.
    pub(crate) cpu_ns: u64,
}

impl Account {
    /// Returns the difference to an `earlier` account of the same tracer.
    pub fn since(mut self, earlier: &Self) -> Self {
        self.events -= earlier.events;
        self.losses.lost -= earlier.losses.lost;
        self.losses.undecodable -= earlier.losses.undecodable;
        self.losses.unmatched -= earlier.losses.unmatched;
        self.drain_cpu_ns -= earlier.drain_cpu_ns;
        self.cpu_times = self.cpu_times.since(earlier.cpu_times);
        self.delivered.records -= earlier.delivered.records;
        self.delivered.cpu_ns -= earlier.delivered.cpu_ns;
        self.at_ns -= earlier.at_ns;
        self.calls_counted_ns -= earlier.calls_counted_ns;
        for (program, runs) in &mut self.programs {
            *runs = *runs - earlier.runs_of(program);
        }
        self
    }

    /// Returns all CPU time of the tracer: of its programs, of what leads to them, of slower system calls, and of the
    /// reader.
    pub fn cpu(&self) -> Estimate {
        self.bpf() + self.entries() + self.slow_paths() + self.reader()
    }

    /// Returns the run time of all BPF programs. Every run is counted, and the mean is of those that are timed.
    pub fn bpf(&self) -> Estimate {
        self.programs.values().map(|runs| runs.total()).sum()
    }

    /// Returns the time from the events to the programs and back: traps of uprobes, and calls at tracepoints.
    pub fn entries(&self) -> Estimate {
        let of_program: BTreeMap<_, _> = self
            .probes
            .iter()
            .map(|probe| (probe.program, probe.entry))
            .collect();
        let entries = self.programs.iter().map(|(program, runs)| {
            let entry = of_program.get(program).copied().unwrap_or_default();
            self.calibration.entries(entry, runs.count)
        });
        entries.sum()
    }

    /// Returns by how much the system calls of all processes took longer, because some system calls are traced.
    pub fn slow_paths(&self) -> Estimate {
        self.calibration.slow_paths(self.system_calls())
    }

    /// Returns the CPU time of reading and processing the records.
    pub fn reader(&self) -> Estimate {
        Estimate::exact(self.reader_cpu_ns())
    }

    /// Returns the number of system calls that the machine made while some were traced: counted in bursts, in which a
    /// program runs at each of them, and else as counted in a part of the time.
    pub fn system_calls(&self) -> f64 {
        let in_bursts = self.runs_of(EACH_CALL).count as f64;
        if self.calls_counted_ns == 0 {
            return in_bursts;
        }
        let whole = self.at_ns as f64 / self.calls_counted_ns as f64;
        in_bursts + self.runs_of(ANY_CALL).count as f64 * whole
    }

    /// Returns the number of runs of a probe's program.
    pub fn runs(&self, probe: &ProbeAccount) -> u64 {
        self.runs_of(probe.program).count
    }

    /// Returns the run time of a probe's program in nanoseconds.
    pub fn run_ns(&self, probe: &ProbeAccount) -> u64 {
        units::whole(self.runs_of(probe.program).total().ns)
    }

    /// Returns the programs that have a probe or that ran: name, number of runs, and their time in nanoseconds. The times add
    /// up to [`Self::bpf`].
    pub fn programs(&self) -> impl Iterator<Item = (&'static str, u64, u64)> {
        let has_probe = |name| self.probes.iter().any(|probe| probe.program == name);
        let programs = self.programs.iter();
        let programs = programs.filter(move |&(&name, runs)| runs.count > 0 || has_probe(name));
        programs.map(|(&name, runs)| (name, runs.count, units::whole(runs.total().ns)))
    }

    /// Returns the CPU time in nanoseconds of reading and processing the records. The sink processes some of them
    /// before or after the time of this account, so its mean cost of a record stands for all.
    pub fn reader_cpu_ns(&self) -> u64 {
        let Delivered { records, cpu_ns } = self.delivered;
        let a_record = cpu_ns as f64 / records.max(1) as f64;
        self.drain_cpu_ns + units::whole(self.events as f64 * a_record)
    }

    fn runs_of(&self, program: &str) -> Runs {
        self.programs.get(program).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::overhead::timing::Timing;

    fn probe(program: &'static str, entry: ProgramEntry) -> ProbeAccount {
        ProbeAccount {
            program,
            entry,
            ..ProbeAccount::default()
        }
    }

    fn runs(count: u64) -> Runs {
        Runs {
            count,
            timed: count / 10,
            ns: count / 10 * 100,
            squares: count / 10 * 10_000,
            clock_ns: 0,
        }
    }

    fn timing(warm_ns: f64, cold_ns: f64) -> Timing {
        Timing { warm_ns, cold_ns }
    }

    fn account(scale: u64) -> Account {
        Account {
            probes: vec![
                probe("on_switch", ProgramEntry::Tracepoint),
                probe("on_io_enter", ProgramEntry::SystemCall),
                probe("on_io_enter", ProgramEntry::SystemCall),
                probe("on_commit_begin", ProgramEntry::Trap),
            ],
            programs: BTreeMap::from([
                ("on_switch", runs(1_000 * scale)),
                ("on_io_enter", runs(200 * scale)),
                ("on_commit_begin", runs(100 * scale)),
                (ANY_CALL, runs(50 * scale)),
            ]),
            at_ns: 2_000 * scale,
            calls_counted_ns: 100 * scale,
            calibration: Calibration {
                tracepoint: timing(40.0, 60.0),
                system_call: timing(100.0, 200.0),
                trap: timing(800.0, 1_400.0),
                slow_path: timing(90.0, 140.0),
            },
            ..Account::default()
        }
    }

    #[test]
    fn what_leads_to_a_program_counts_once_for_each_run() {
        let part = account(3).since(&account(1));
        let runs = 2_100.0;
        let entries = part.entries();
        assert_eq!(entries.low(), runs * 40.0 + 400.0 * 100.0 + 200.0 * 800.0);
        assert_eq!(entries.high(), runs * 60.0 + 400.0 * 200.0 + 200.0 * 1_400.0);
        assert_eq!(part.runs(&part.probes[1]), 400);
        assert_eq!(part.run_ns(&part.probes[1]), 40_000);
    }

    #[test]
    fn system_calls_of_a_part_of_the_time_stand_for_all() {
        let part = account(3).since(&account(1));
        assert_eq!(part.system_calls(), 2_000.0);
        assert_eq!(part.slow_paths().ns, 2_000.0 * 115.0);
        let mut in_bursts = Account::default();
        assert_eq!(in_bursts.system_calls(), 0.0);
        in_bursts.programs.insert(EACH_CALL, runs(70));
        assert_eq!(in_bursts.system_calls(), 70.0);
    }

    #[test]
    fn the_whole_is_the_sum_of_its_parts() {
        let part = Account {
            drain_cpu_ns: 5_000,
            ..account(2)
        };
        let sum = part.bpf().ns + part.entries().ns + part.slow_paths().ns + 5_000.0;
        assert_eq!(part.cpu().ns, sum);
        assert!(part.cpu().low() < sum && sum < part.cpu().high());
        assert_eq!(Account::default().cpu(), Estimate::default());
    }

    #[test]
    fn a_sink_that_lags_behind_costs_the_same_in_the_end() {
        let delivered = |records, cpu_ns| Account {
            events: 4 * records,
            drain_cpu_ns: records,
            delivered: Delivered { records, cpu_ns },
            ..Account::default()
        };
        let part = delivered(300, 900).since(&delivered(100, 300));
        assert_eq!(part.reader_cpu_ns(), 200 + 4 * 600);
    }
}
