//! Statements of a sysbench script, and the options that apply to it.

use crate::workloads::protocol::Protocol;
use crate::workloads::sysbench::statement_groups::StatementGroup;
use crate::workloads::{PROTOCOL_OPTION, RANGE_SIZE_OPTION, SKIP_TRX_OPTION};

/// Statements of a request, as in a script of sysbench 1.0.20.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Script {
    /// Groups of statements in their order, with the number of times that a request has the statements of each.
    pub(crate) groups: &'static [(StatementGroup, u32)],
    /// Whether options cannot change these numbers.
    fixed: bool,
    /// Index of the group before which BEGIN and COMMIT are prepared, or `None` if requests are not transactions.
    pub(crate) transaction: Option<usize>,
    /// How statements are sent by default.
    pub(crate) protocol: Protocol,
}

impl Script {
    /// Returns a script of these groups. Each statement commits by itself.
    pub(crate) const fn single(groups: &'static [(StatementGroup, u32)]) -> Self {
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

    pub(crate) const fn transaction(
        groups: &'static [(StatementGroup, u32)],
        prepared_before: usize,
    ) -> Self {
        Self {
            transaction: Some(prepared_before),
            ..Self::single(groups)
        }
    }

    /// Returns whether an option can change the number of a group's statements.
    pub(crate) fn can_count(&self, group: StatementGroup) -> bool {
        !self.fixed && self.groups.iter().any(|&(own, _)| own == group)
    }

    pub(crate) fn has_ranges(&self) -> bool {
        self.groups.iter().any(|(group, _)| group.has_ranges())
    }

    /// Returns the options that apply.
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

/// Returns the option for the number of a group's statements: sysbench's, with dashes.
pub(crate) fn count_option(group: StatementGroup) -> String {
    format!("--{}", group.as_str().replace('_', "-"))
}
