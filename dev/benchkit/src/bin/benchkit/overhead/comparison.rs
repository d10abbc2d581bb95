//! Overhead of logtrace and of other tools: one table.

use anyhow::Context;

use super::arguments::Arguments;
use super::cost::{Cost, served};
use super::tools::same_probes::probes_inside_functions;
use super::tools::{TOOLS, Tool};
use logtrace_benchkit::tracing::TracedCommits;
use logtrace_benchkit::{Median, SharedServer, SteadyLoad, TracerPair};

/// Pairs of one tool, or the reason why there are none.
struct ToolRow {
    tool: Tool,
    pairs: Vec<TracerPair<Option<TracedCommits>>>,
    trouble: Option<String>,
}

/// Measures all tools in turn, so that a drift of the machine favours none, and prints the table. A tool that cannot
/// be had is a row that says so.
pub(crate) fn compare(server: &SharedServer, arguments: &Arguments) -> anyhow::Result<()> {
    let load = SteadyLoad::start(server, arguments.connections, arguments.pace())?;
    let is_wanted = |tool: &Tool| {
        let name = tool.to_string();
        arguments.only.iter().any(|text| name.contains(text.as_str()))
    };
    let mut rows: Vec<ToolRow> = TOOLS.into_iter().filter(is_wanted).map(ToolRow::new).collect();
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

impl ToolRow {
    fn new(tool: Tool) -> Self {
        Self {
            tool,
            pairs: Vec::new(),
            trouble: None,
        }
    }

    /// Measures a pair, unless the tool failed before.
    fn measure(&mut self, server: &SharedServer, load: &SteadyLoad, arguments: &Arguments) {
        if self.trouble.is_none() {
            let window = self.tool.window(arguments.duration);
            match self.tool.measure(server, load, window) {
                Ok(pair) => self.pairs.push(pair),
                Err(error) => self.trouble = Some(format!("{error:#}")),
            }
        }
    }

    fn print(&self) {
        let ratios: Vec<f64> = self.pairs.iter().map(TracerPair::ratio).collect();
        if let Some(Median { median, interval }) = Median::of(&ratios) {
            let interval = interval.map_or("".into(), |(low, high)| format!("{low:.3} to {high:.3}"));
            let lowest = ratios.iter().copied().fold(f64::INFINITY, f64::min);
            let per_s: Vec<f64> = self.pairs.iter().map(|pair| pair.traced.per_s()).collect();
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

    /// Returns the CPU time per commit of the server, by logtrace's own account.
    fn cpu_us(&self) -> String {
        let traced = self.pairs.iter().filter_map(|pair| pair.seen.as_ref());
        let ns_a_commit = |cost: Cost| match self.tool.has_gaps() {
            true => cost.ns_of(served(&self.pairs)),
            false => cost.ns_a_commit(),
        };
        Cost::of(traced).map_or("".into(), |cost| format!("{:.2}", ns_a_commit(cost).ns / 1e3))
    }
}
