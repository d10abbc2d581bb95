//! Lag of requests to a real server, of logtrace's driver and of sysbench, beside ways of waiting without a server.

pub mod matching;
mod ours;
pub mod stamps;
mod sysbench;
mod tracing;
mod turn;

use std::num::NonZeroUsize;

use logtrace_driver::{PaceMethod, PacePlan, PaceTable, WaitMethod, WorkloadInfo, pace_table};

use crate::server::SharedServer;
use crate::tables;

/// Row of the driver's lag, as the driver records it.
pub const RUN: &str = "logtrace run";
/// Row of the driver's lag, as seen in the kernel.
pub const RUN_TRACED: &str = "logtrace run, traced";
/// Row of the spinning driver's lag, as the driver records it.
pub const SPIN: &str = "logtrace run --spin";
/// Row of the spinning driver's lag, as seen in the kernel.
pub const SPIN_TRACED: &str = "logtrace run --spin, traced";
/// Row of sysbench's lag, as seen in the kernel.
pub const SYSBENCH: &str = "sysbench --rate, traced";

/// Workload whose requests are one execution of a prepared statement.
const WORKLOAD: &str = "point_select";

/// Results of one run.
pub struct Compared {
    /// Lag of all ways, by rate.
    pub table: PaceTable,
    /// Share of sysbench's events with unseen due times, by rate.
    pub unseen: Vec<(f64, f64)>,
}

/// Makes the tables of both clients.
pub fn load(server: &SharedServer) -> anyhow::Result<()> {
    tables::load(server.connection(), WorkloadInfo::find(WORKLOAD)?)
}

/// Measures all ways in turn, on loaded tables. sysbench's arrivals are a Poisson process, whatever the plan says.
pub fn compare(
    server: &SharedServer,
    connections: NonZeroUsize,
    plan: &PacePlan<'_>,
    follow: &mut dyn FnMut(usize, usize),
) -> anyhow::Result<Compared> {
    let workload = WorkloadInfo::find(WORKLOAD)?;
    let server = server.connection();
    let mut unseen = Vec::new();
    let ours = |spin, recorded, traced| -> PaceMethod<'_> {
        Box::new(move |turn| {
            let seen = ours::measure(server, workload, connections, turn, spin)?;
            Ok(vec![(recorded, seen.recorded), (traced, seen.traced)])
        })
    };
    let mut ways = WaitMethod::ways();
    ways.push(ours(false, RUN, RUN_TRACED));
    ways.push(ours(true, SPIN, SPIN_TRACED));
    ways.push(Box::new(|turn| {
        let seen = sysbench::measure(server, workload, connections, turn)?;
        unseen.push((turn.rate_per_s, seen.unseen));
        Ok(vec![(SYSBENCH, seen.lags)])
    }));
    let table = pace_table(plan, &mut ways, follow)?;
    drop(ways);
    let of_rate = |&rate_per_s: &f64| {
        let turns = unseen.iter().filter(|(rate, _)| *rate == rate_per_s);
        let events = table.row(rate_per_s, SYSBENCH)?.lags.due();
        let unseen: u64 = turns.map(|(_, unseen)| unseen).sum();
        Some((rate_per_s, unseen as f64 / events as f64))
    };
    Ok(Compared {
        unseen: plan.rates_per_s.iter().filter_map(of_rate).collect(),
        table,
    })
}
