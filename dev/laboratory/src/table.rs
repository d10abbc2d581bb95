//! Table of what was put in and what was found; pure.

use std::fmt::{self, Display, Formatter};

use logtrace_common::Flavor;

use crate::comparison::Gain;
use crate::experiment::Experiment;

/// Row of the table: one experiment on one server.
#[derive(Debug)]
pub struct ExperimentRow {
    /// Server.
    pub flavor: Flavor,
    /// Name of the experiment.
    pub name: &'static str,
    /// Description of what was put in.
    pub put_in: &'static str,
    /// Name under which it must be found.
    pub expected: &'static str,
    /// Gains of the pairs, or the reason why there are none.
    pub result: Result<Vec<Gain>, String>,
}

/// Bounds of the share that must be found under the expected name.
pub const FOUND: std::ops::RangeInclusive<f64> = 0.9..=1.1;

/// Largest share that another cause may gain.
pub const OTHER: f64 = 0.05;

impl ExperimentRow {
    /// Creates the row of an experiment.
    pub fn new(experiment: &Experiment, flavor: Flavor, result: Result<Vec<Gain>, String>) -> Self {
        Self {
            flavor,
            name: experiment.name,
            put_in: experiment.put_in,
            expected: experiment.expected,
            result,
        }
    }

    /// Returns whether the cause was found with its size, and no other cause grew.
    pub fn is_good(&self) -> bool {
        let Ok(gains) = &self.result else { return false };
        let gain = crate::comparison::sum(gains.iter().cloned());
        let other = gain.largest_other().map_or(0.0, |(_, share)| share);
        FOUND.contains(&gain.share_found()) && other <= OTHER
    }

    fn cells(&self) -> [String; 7] {
        let Ok(gains) = &self.result else {
            let reason = self.result.as_ref().err().cloned().unwrap_or_default();
            return [
                self.name.into(),
                self.flavor.to_string(),
                self.put_in.into(),
                reason,
                String::new(),
                String::new(),
                String::new(),
            ];
        };
        let gain = crate::comparison::sum(gains.iter().cloned());
        let shares: Vec<f64> = gains.iter().map(Gain::share_found).collect();
        let low = shares.iter().copied().fold(f64::INFINITY, f64::min);
        let high = shares.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let (other, share) = gain.largest_other().unwrap_or(("none", 0.0));
        [
            self.name.into(),
            self.flavor.to_string(),
            format!(
                "{} ({:.2} s in {} windows)",
                self.put_in,
                gain.put_in / 1e9,
                gains.len()
            ),
            self.expected.into(),
            format!(
                "{} ({} to {})",
                percent(gain.share_found()),
                percent(low),
                percent(high)
            ),
            format!("{other} {}", percent(share)),
            percent(gain.share_elsewhere()),
        ]
    }
}

/// Heads of the columns.
const HEADS: [&str; 7] = [
    "experiment",
    "server",
    "put in",
    "found under",
    "share found (single windows)",
    "largest other cause",
    "all other causes",
];

/// Head of the table in Markdown.
#[derive(Debug)]
pub struct TableHead;

impl Display for TableHead {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "| {} |", HEADS.join(" | "))?;
        writeln!(f, "|{}", "---|".repeat(HEADS.len()))
    }
}

impl Display for ExperimentRow {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        writeln!(f, "| {} |", self.cells().join(" | "))
    }
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}
