//! Measurement of how busy the CPUs are.

use logtrace_measure::measurement::CpuTimes;
use logtrace_measure::run::CpuPlacement;
use logtrace_server::Cpus;

/// Measurement of how busy the CPUs are, from its beginning on.
#[derive(Debug)]
pub(crate) struct CpuUse {
    sides: [CpusOfSide; 2],
}

/// CPUs of the server or of logtrace, and their counters at the beginning.
#[derive(Debug)]
struct CpusOfSide {
    /// `None` stands for all CPUs.
    cpus: Option<Cpus>,
    begun: CpuTimes,
}

impl CpuUse {
    /// Begins to measure the CPUs of a placement.
    pub(crate) fn begin(placement: &CpuPlacement) -> Self {
        let sides = [&placement.server, &placement.client].map(|cpus| CpusOfSide {
            cpus: cpus.clone(),
            begun: times(cpus.as_ref()),
        });
        Self { sides }
    }

    /// Returns the share of the time since the beginning in which the CPUs were not idle, from 0 to 1. Where the server and
    /// logtrace have CPUs of their own it is the larger of their two shares: one side can be short of CPUs while the other idles.
    pub(crate) fn busy_share(&self) -> f64 {
        let shares = self
            .sides
            .each_ref()
            .map(|side| times(side.cpus.as_ref()).since(side.begun).busy_share());
        shares[0].max(shares[1])
    }
}

/// Reads the counters of some CPUs, or of all; all are 0 if they cannot be read.
fn times(cpus: Option<&Cpus>) -> CpuTimes {
    let (Some(cpus), Ok(online)) = (cpus, Cpus::online()) else {
        return CpuTimes::now();
    };
    let each = online.numbers().zip(CpuTimes::of_each());
    each.filter(|(cpu, _)| cpus.numbers().any(|chosen| chosen == *cpu))
        .map(|(_, times)| times)
        .sum()
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::{Duration, Instant};

    use super::*;

    fn spin(cpu: &Cpus, length: Duration) {
        cpu.take().unwrap();
        let begun = Instant::now();
        while begun.elapsed() < length {}
    }

    #[test]
    fn a_side_that_is_short_of_cpus_shows_although_the_other_idles() {
        let allowed: Vec<Cpus> = Cpus::allowed()
            .unwrap()
            .numbers()
            .map(|cpu| cpu.to_string().parse().unwrap())
            .collect();
        let placement = CpuPlacement {
            server: allowed.first().cloned(),
            client: allowed.last().cloned(),
        };
        let cpu_use = CpuUse::begin(&placement);
        let busy = allowed[0].clone();
        thread::spawn(move || spin(&busy, Duration::from_millis(500)))
            .join()
            .unwrap();
        assert!(cpu_use.busy_share() > 0.9, "{}", cpu_use.busy_share());
    }
}
