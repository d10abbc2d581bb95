//! The statements of a script of sysbench's, as many as were chosen.

use crate::workloads::options::{OptionError, WorkloadOptions};
use crate::workloads::protocol::Protocol;
use crate::workloads::sysbench::script::Script;
use crate::workloads::sysbench::statement_groups::Group;

/// Rows of a range, unless it is said otherwise.
const RANGE_SIZE: u32 = 100;
/// BEGIN and COMMIT.
pub(crate) const EDGES: usize = 2;

/// The statements of a script of sysbench's, as many as were chosen.
#[derive(Clone, Debug)]
pub struct Statements {
    /// The workload's name.
    pub(crate) name: &'static str,
    pub(crate) script: &'static Script,
    /// By group.
    counts: [u32; Group::ALL.len()],
    /// Rows of a range; of no meaning where the script reads none.
    pub(crate) range_size: u32,
    /// Whether BEGIN and COMMIT are around them.
    pub(crate) transaction: bool,
}

impl Statements {
    /// As sysbench has them.
    pub(crate) fn plain(name: &'static str, script: &'static Script) -> Self {
        let mut counts = [0; Group::ALL.len()];
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

    /// Takes over the options, which the script must know; something must be left to send.
    pub(crate) fn choose(&mut self, options: &WorkloadOptions) -> Result<(), OptionError> {
        for &(group, count) in &options.counts {
            self.counts[group as usize] = count;
        }
        self.range_size = options.range_size.unwrap_or(self.range_size);
        self.transaction &= !options.skip_trx;
        if options.protocol == Some(Protocol::Prepared) && self.script.protocol == Protocol::Text {
            return Err(OptionError::NeverPrepared(self.name.to_owned()));
        }
        let sends = self.transaction || self.groups().any(|(_, count)| count > 0);
        match sends {
            true => Ok(()),
            false => Err(OptionError::Nothing(self.name.to_owned())),
        }
    }

    /// The groups of a request in their order, and how many times it has the statements of each.
    pub(crate) fn groups(&self) -> impl Iterator<Item = (Group, u32)> + '_ {
        let groups = self.script.groups.iter();
        groups.map(|&(group, _)| (group, self.counts[group as usize]))
    }

    /// Rows of a range; `None` where the script reads none.
    pub(crate) fn range_size(&self) -> Option<u32> {
        self.script.has_ranges().then_some(self.range_size)
    }

    /// How many there are to prepare, with this many tables.
    pub(crate) fn prepared(&self, tables: u32) -> usize {
        let on_each_table = self.groups().map(|(group, _)| group.templates().len());
        on_each_table.sum::<usize>() * tables as usize + EDGES
    }
}
