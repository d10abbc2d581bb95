//! What logtrace costs next to other tools: one table.

use anyhow::Context;

use crate::arguments::Arguments;
use crate::cost::Cost;
use crate::paired::tracing::Traced;
use crate::paired::{Median, Pair, SharedServer, SteadyLoad};
use crate::tools::same_probes::probes_inside_functions;
use crate::tools::{TOOLS, Tool};

/// One tool's pairs, or why there are none.
struct Row {
    tool: Tool,
    pairs: Vec<Pair<Option<Traced>>>,
    trouble: Option<String>,
}

/// Measures all tools in turn, so that a drift of the machine favours none, and prints the table. A tool that cannot
/// be had is a row that says so.
pub(crate) fn compare(server: &SharedServer, arguments: &Arguments) -> anyhow::Result<()> {
    let load = SteadyLoad::start(server.connection(), arguments.connections)?;
    let mut rows = TOOLS.map(Row::new);
    for number in 1..=arguments.pairs {
        for row in &mut rows {
            row.measure(server, &load, arguments);
        }
        eprintln!("round {number} of {} done", arguments.pairs);
    }
    load.stop().context("the load did not outlive the tools")?;
    println!(
        "{:<28} {:>5} {:>8} {:>16} {:>8} {:>10} {:>12}",
        "tool", "pairs", "median", "95 % interval", "lowest", "requests/s", "us a commit"
    );
    for row in &rows {
        row.print();
    }
    if !probes_inside_functions() {
        println!(
            "this bpftrace cannot probe inside of a function: its commits are entry and return of ha_commit_trans"
        );
    }
    Ok(())
}

impl Row {
    fn new(tool: Tool) -> Self {
        Self {
            tool,
            pairs: Vec::new(),
            trouble: None,
        }
    }

    /// A tool that failed once is not tried again.
    fn measure(&mut self, server: &SharedServer, load: &SteadyLoad, arguments: &Arguments) {
        if self.trouble.is_none() {
            match self.tool.measure(server, load, arguments.duration) {
                Ok(pair) => self.pairs.push(pair),
                Err(error) => self.trouble = Some(format!("{error:#}")),
            }
        }
    }

    fn print(&self) {
        let ratios: Vec<f64> = self.pairs.iter().map(Pair::ratio).collect();
        if let Some(Median { median, interval }) = Median::of(&ratios) {
            let interval = interval.map_or("".into(), |(low, high)| format!("{low:.3} to {high:.3}"));
            let lowest = ratios.iter().copied().fold(f64::INFINITY, f64::min);
            let per_s: Vec<f64> = self.pairs.iter().map(|pair| pair.traced_per_s).collect();
            println!(
                "{:<28} {:>5} {median:>8.3} {interval:>16} {lowest:>8.3} {:>10.0} {:>12}",
                self.tool,
                ratios.len(),
                Median::of(&per_s).map_or(0.0, |per_s| per_s.median),
                self.cpu_us()
            );
        }
        if let Some(trouble) = &self.trouble {
            println!("{:<28} {trouble}", self.tool);
        }
    }

    /// CPU time a commit by logtrace's own account.
    fn cpu_us(&self) -> String {
        let traced = self.pairs.iter().filter_map(|pair| pair.seen.as_ref());
        Cost::of(traced).map_or("".into(), |cost| format!("{:.2}", cost.ns_a_commit() / 1e3))
    }
}
