//! What a script of sysbench's sends, and which of its options change something about it.

use crate::workloads::options::{PROTOCOL_OPTION, RANGE_SIZE_OPTION, SKIP_TRX_OPTION};
use crate::workloads::protocol::Protocol;
use crate::workloads::sysbench::statement_groups::Group;

/// The statements of a request, as a script of sysbench 1.0.20 has them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Script {
    /// Groups of statements in their order, and how many times a request has the statements of each.
    pub(crate) groups: &'static [(Group, u32)],
    /// Whether these numbers are the script's own: options cannot change them.
    fixed: bool,
    /// Where requests are transactions: the place of the group before which BEGIN and COMMIT are prepared.
    pub(crate) transaction: Option<usize>,
    /// How statements are sent, unless it is said otherwise.
    pub(crate) protocol: Protocol,
}

impl Script {
    /// Statements of one group, each committed by itself.
    pub(crate) const fn single(groups: &'static [(Group, u32)]) -> Self {
        Self {
            groups,
            fixed: false,
            transaction: None,
            protocol: Protocol::Prepared,
        }
    }

    pub(crate) const fn fixed(self) -> Self {
        Self { fixed: true, ..self }
    }

    pub(crate) const fn as_text(self) -> Self {
        Self {
            protocol: Protocol::Text,
            ..self
        }
    }

    pub(crate) const fn transaction(groups: &'static [(Group, u32)], prepared_before: usize) -> Self {
        Self {
            transaction: Some(prepared_before),
            ..Self::single(groups)
        }
    }

    /// Whether the number of a group's statements can be chosen.
    pub(crate) fn can_count(&self, group: Group) -> bool {
        !self.fixed && self.groups.iter().any(|&(has, _)| has == group)
    }

    pub(crate) fn has_ranges(&self) -> bool {
        self.groups.iter().any(|(group, _)| group.has_ranges())
    }

    /// Every option that changes something.
    pub(crate) fn options(&self) -> String {
        let groups = self.groups.iter().map(|(group, _)| *group);
        let counted = groups.filter(|&group| self.can_count(group));
        let mut options: Vec<String> = counted.map(count_option).collect();
        options.extend(self.has_ranges().then(|| RANGE_SIZE_OPTION.to_owned()));
        options.extend(self.transaction.map(|_| SKIP_TRX_OPTION.to_owned()));
        if self.protocol == Protocol::Prepared {
            options.push(PROTOCOL_OPTION.to_owned());
        }
        match options.len() {
            0 => "no such options".to_owned(),
            _ => options.join(", "),
        }
    }
}

/// The option for the number of a group's statements, which is sysbench's with the dashes of ours.
pub(crate) fn count_option(group: Group) -> String {
    format!("--{}", group.name().replace('_', "-"))
}
