//! How late requests leave for a real server: logtrace's driver's and sysbench's, next to ways of waiting without one.
//!
//! The benchmark (benches/lag) and tests/lag both include this.

#[path = "../../overhead/tools/child.rs"]
mod child;
#[path = "../../client/driven.rs"]
mod driven;
pub(crate) mod matching;
mod ours;
#[path = "../../overhead/paired/server.rs"]
mod server;
pub(crate) mod stamps;
mod sysbench;
#[path = "../../client/sysbench_run.rs"]
mod sysbench_run;
#[path = "../../client/tables.rs"]
mod tables;
#[path = "../../../src/run/target.rs"]
mod target;
mod tracing;
#[path = "../../overhead/tools/with_tracefs.rs"]
mod with_tracefs;

use std::num::NonZeroUsize;
use std::time::Duration;

use logtrace_driver::{PacePlan, PaceTable, Waiting, Way, WorkloadInfo, pace_table};

pub(crate) use server::SharedServer;

/// Rows of the table: as the driver records its lag, and as seen in the kernel.
pub(crate) const RUN: &str = "logtrace run";
pub(crate) const RUN_TRACED: &str = "logtrace run, traced";
pub(crate) const SPIN: &str = "logtrace run --spin";
pub(crate) const SPIN_TRACED: &str = "logtrace run --spin, traced";
pub(crate) const SYSBENCH: &str = "sysbench --rate, traced";

/// One statement a request, and one execution of a prepared statement in it.
const WORKLOAD: &str = "point_select";

/// Load before what is measured of a turn, of either client.
const WARMUP: Duration = Duration::from_millis(500);

/// What one run showed.
pub(crate) struct Compared {
    /// All ways, by rate.
    pub(crate) table: PaceTable,
    /// At each rate, the share of sysbench's events whose due times were not seen.
    pub(crate) unseen: Vec<(f64, f64)>,
}

/// Makes the tables of both clients.
pub(crate) fn load(server: &SharedServer) -> anyhow::Result<()> {
    tables::load(server.connection(), WorkloadInfo::find(WORKLOAD)?)
}

/// Measures all ways in turn, on loaded tables. sysbench's arrivals are a Poisson process, whatever the plan says.
pub(crate) fn compare(
    server: &SharedServer,
    connections: NonZeroUsize,
    plan: &PacePlan<'_>,
    follow: &mut dyn FnMut(usize, usize),
) -> anyhow::Result<Compared> {
    let workload = WorkloadInfo::find(WORKLOAD)?;
    let server = server.connection();
    let mut unseen = Vec::new();
    let ours = |spin, recorded, traced| -> Way<'_, anyhow::Error> {
        Box::new(move |turn| {
            let seen = ours::measure(server, workload, connections, turn, spin)?;
            Ok(vec![(recorded, seen.recorded), (traced, seen.traced)])
        })
    };
    let mut ways = Waiting::ways();
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

/// More entries than there will be of anything: chance may make more due than the rate says.
fn room(rate_per_s: f64, seconds: f64) -> usize {
    (2.0 * rate_per_s * seconds) as usize + 4096
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
