//! Statements of a sysbench script, in the numbers that options select.

use crate::workloads::OptionError;
use crate::workloads::protocol::Protocol;
use crate::workloads::sysbench::script::Script;
use crate::workloads::sysbench::statement_groups::StatementGroup;

/// Default number of rows of a range.
const RANGE_SIZE: u32 = 100;
/// Number of statements around a transaction: BEGIN and COMMIT.
pub(crate) const EDGES: usize = 2;

/// Statements of a sysbench script, in the numbers that options select.
#[derive(Clone, Debug)]
pub struct ChosenStatements {
    /// Name of the workload.
    pub(crate) name: &'static str,
    pub(crate) script: &'static Script,
    /// Number of repetitions, by group.
    counts: [u32; StatementGroup::ALL.len()],
    /// Number of rows of a range. Not used if the script reads no ranges.
    pub(crate) range_size: u32,
    /// Whether BEGIN and COMMIT are around the statements.
    pub(crate) transaction: bool,
}

impl ChosenStatements {
    /// Returns the defaults of sysbench.
    pub(crate) fn plain(name: &'static str, script: &'static Script) -> Self {
        let mut counts = [0; StatementGroup::ALL.len()];
        for &(group, count) in script.groups {
            counts[group as usize] = count;
        }
        Self {
            name,
            script,
            counts,
            range_size: RANGE_SIZE,
            transaction: script.transaction.is_some(),
        }
    }

    /// Applies the options, which must apply to the script. Refuses a request that would send nothing.
    pub(crate) fn apply(
        &mut self,
        counts: &[(StatementGroup, u32)],
        range_size: Option<u32>,
        skip_trx: bool,
        protocol: Option<Protocol>,
    ) -> Result<(), OptionError> {
        for &(group, count) in counts {
            self.counts[group as usize] = count;
        }
        self.range_size = range_size.unwrap_or(self.range_size);
        self.transaction &= !skip_trx;
        if protocol == Some(Protocol::Prepared) && self.script.protocol == Protocol::Text {
            return Err(OptionError(format!(
                "the workload {} sends its statements as text, as sysbench does: leave --protocol prepared out",
                self.name
            )));
        }
        if self.transaction || self.groups().any(|(_, count)| count > 0) {
            return Ok(());
        }
        Err(OptionError(format!(
            "a request of {} would have no statements: give at least one count above 0",
            self.name
        )))
    }

    /// Returns the groups of a request in their order, with the number of times that it has the statements of each.
    pub(crate) fn groups(&self) -> impl Iterator<Item = (StatementGroup, u32)> + '_ {
        let groups = self.script.groups.iter();
        groups.map(|&(group, _)| (group, self.counts[group as usize]))
    }

    /// Returns the number of rows of a range, or `None` if the script reads no ranges.
    pub(crate) fn range_size(&self) -> Option<u32> {
        self.script.has_ranges().then_some(self.range_size)
    }

    /// Returns the number of statements to prepare for this number of tables.
    pub(crate) fn prepared(&self, tables: u32) -> usize {
        let on_each_table = self.groups().map(|(group, _)| group.templates().len());
        on_each_table.sum::<usize>() * tables as usize + EDGES
    }
}
