//! What the requests of one drive are: a workload with its options, checked.

use thiserror::Error;

use super::{Group, Protocol, Script, WorkloadInfo};
use crate::Compat;
use crate::tpcc::{Terminal, Tpcc, TpccOptions};

/// Rows of a range, unless it is said otherwise.
const RANGE_SIZE: u32 = 100;

const RANGE_SIZE_OPTION: &str = "--range-size";
/// BEGIN and COMMIT.
const EDGES: usize = 2;

const SKIP_TRX_OPTION: &str = "--skip-trx";

/// sysbench's name of an option as commands have it.
fn option(name: &str) -> String {
    format!("--{}", name.replace('_', "-"))
}

/// What is to differ from the defaults; nothing does by default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkloadOptions {
    /// The program whose defaults are to hold.
    pub compat: Option<Compat>,
    /// How many times a request has each statement of a group.
    pub counts: Vec<(Group, u32)>,
    /// Rows of a range, at least 1.
    pub range_size: Option<u32>,
    /// Whether statements are committed one by one instead of by BEGIN and COMMIT.
    pub skip_trx: bool,
    /// How statements are sent.
    pub protocol: Option<Protocol>,
    /// What is of the TPC-C-like workload alone.
    pub tpcc: TpccOptions,
}

/// A workload with its options.
#[derive(Clone, Copy, Debug)]
pub struct Requests {
    workload: &'static WorkloadInfo,
    /// By group.
    counts: [u32; Group::ALL.len()],
    range_size: u32,
    transaction: bool,
    protocol: Protocol,
    tpcc: Option<Tpcc>,
}

/// An option that a workload has nothing for.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OptionError {
    /// It would change nothing.
    #[error("{option} does not apply to the workload {workload}, which takes {takes}")]
    Unknown {
        /// The workload's name.
        workload: &'static str,
        /// The option, as commands have it.
        option: String,
        /// What the workload takes.
        takes: String,
    },
    /// Its statements are never prepared.
    #[error("the workload {0} sends its statements as text, as sysbench does: it cannot prepare them")]
    NeverPrepared(&'static str),
    /// Nothing is left.
    #[error("a request of {0} would send nothing: let it have at least one statement")]
    Nothing(&'static str),
}

impl Requests {
    /// A workload with these options.
    pub fn new(workload: &'static WorkloadInfo, options: &WorkloadOptions) -> Result<Self, OptionError> {
        let plain = Self::plain(workload);
        if let Some(compat) = options.compat {
            let is_known = compat.profile().is_some() == plain.tpcc.is_some();
            plain.known(&format!("--compat {compat}"), is_known)?;
        }
        for &(group, _) in &options.counts {
            let can_count = workload.script().is_some_and(|script| script.can_count(group));
            plain.known(&option(group.name()), can_count)?;
        }
        let has_ranges = workload.script().is_some_and(Script::has_ranges);
        plain.known(RANGE_SIZE_OPTION, options.range_size.is_none() || has_ranges)?;
        let can_skip = workload
            .script()
            .is_some_and(|script| script.transaction.is_some());
        plain.known(SKIP_TRX_OPTION, !options.skip_trx || can_skip)?;
        match workload.script() {
            Some(script) => plain.scripted(script, options),
            None => Ok(plain.with_tpcc(options)),
        }
    }

    fn scripted(mut self, script: &Script, options: &WorkloadOptions) -> Result<Self, OptionError> {
        for option in options.tpcc.given() {
            self.known(option, false)?;
        }
        for &(group, count) in &options.counts {
            self.counts[group as usize] = count;
        }
        self.range_size = options.range_size.unwrap_or(self.range_size);
        self.transaction = self.transaction && !options.skip_trx;
        if options.protocol == Some(Protocol::Prepared) && script.protocol == Protocol::Text {
            return Err(OptionError::NeverPrepared(self.workload.name));
        }
        self.protocol = options.protocol.unwrap_or(script.protocol);
        let sends = self.transaction || self.groups().any(|(_, count)| count > 0);
        sends
            .then_some(self)
            .ok_or(OptionError::Nothing(self.workload.name))
    }

    fn with_tpcc(mut self, options: &WorkloadOptions) -> Self {
        let profile = options.compat.and_then(Compat::profile).unwrap_or_default();
        self.tpcc = Some(Tpcc::new(profile, options.tpcc));
        self.protocol = options.protocol.unwrap_or(profile.protocol());
        self
    }

    /// A workload as sysbench has it, or the specification.
    pub fn plain(workload: &'static WorkloadInfo) -> Self {
        let script = workload.script();
        let mut counts = [0; Group::ALL.len()];
        for &(group, count) in script.map_or(&[][..], |script| script.groups) {
            counts[group as usize] = count;
        }
        Self {
            workload,
            counts,
            range_size: RANGE_SIZE,
            transaction: script.is_none_or(|script| script.transaction.is_some()),
            protocol: script.map_or(Protocol::Prepared, |script| script.protocol),
            tpcc: script.is_none().then(Tpcc::default),
        }
    }

    /// Refuses an option that changes nothing about these requests.
    pub fn refuse(&self, option: &str) -> OptionError {
        OptionError::Unknown {
            workload: self.workload.name,
            option: option.into(),
            takes: self
                .workload
                .script()
                .map_or_else(TpccOptions::names, Script::options),
        }
    }

    fn known(&self, option: &str, is_known: bool) -> Result<(), OptionError> {
        is_known.then_some(()).ok_or_else(|| self.refuse(option))
    }

    /// The workload.
    pub fn workload(&self) -> &'static WorkloadInfo {
        self.workload
    }

    /// The groups of a request in their order, and how many times it has the statements of each.
    pub fn groups(&self) -> impl Iterator<Item = (Group, u32)> + '_ {
        let groups = self.workload.script().map_or(&[][..], |script| script.groups);
        groups
            .iter()
            .map(|&(group, _)| (group, self.counts[group as usize]))
    }

    /// Rows of a range; `None` where the workload reads none.
    pub fn range_size(&self) -> Option<u32> {
        let has_ranges = self.workload.script().is_some_and(Script::has_ranges);
        has_ranges.then_some(self.range_size)
    }

    /// Whether BEGIN and COMMIT are around the statements of a request.
    pub fn transaction(&self) -> bool {
        self.transaction
    }

    /// How statements are sent.
    pub fn protocol(&self) -> Protocol {
        self.protocol
    }

    /// Statements that each connection prepares, with this many tables.
    pub fn prepared_statements(&self, tables: u32) -> usize {
        if self.protocol == Protocol::Text {
            return 0;
        }
        let on_each_table = self.groups().map(|(group, _)| group.templates().len());
        match self.tpcc {
            Some(tpcc) => Terminal::statements(tpcc),
            None => on_each_table.sum::<usize>() * tables as usize + EDGES,
        }
    }

    /// What the TPC-C-like workload is to be; `None` for any other.
    pub fn tpcc(&self) -> Option<Tpcc> {
        self.tpcc
    }
}

impl Script {
    /// Whether the number of a group's statements can be chosen.
    fn can_count(&self, group: Group) -> bool {
        !self.fixed && self.groups.iter().any(|&(has, _)| has == group)
    }

    fn has_ranges(&self) -> bool {
        self.groups.iter().any(|(group, _)| group.has_ranges())
    }

    /// Every option that changes something.
    fn options(&self) -> String {
        let groups = self.groups.iter().map(|(group, _)| *group);
        let counted = groups.filter(|&group| self.can_count(group));
        let mut options: Vec<String> = counted.map(|group| option(group.name())).collect();
        options.extend(self.has_ranges().then(|| RANGE_SIZE_OPTION.to_owned()));
        options.extend(self.transaction.map(|_| SKIP_TRX_OPTION.to_owned()));
        if self.protocol == Protocol::Prepared {
            options.push("--protocol".to_owned());
        }
        match options.len() {
            0 => "no such options".to_owned(),
            _ => options.join(", "),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(workload: &str, options: &WorkloadOptions) -> Result<Requests, OptionError> {
        Requests::new(WorkloadInfo::find(workload).unwrap(), options)
    }

    fn counts(counts: &[(Group, u32)]) -> WorkloadOptions {
        WorkloadOptions {
            counts: counts.to_vec(),
            ..WorkloadOptions::default()
        }
    }

    #[test]
    fn nothing_chosen_is_what_sysbench_does() {
        let plain = with("read_write", &WorkloadOptions::default()).unwrap();
        let groups: Vec<u32> = plain.groups().map(|(_, count)| count).collect();
        assert_eq!(groups, [10, 1, 1, 1, 1, 1, 1, 1]);
        assert_eq!((plain.range_size(), plain.transaction()), (Some(100), true));
        assert_eq!(plain.protocol(), Protocol::Prepared);
        let insert = with("insert", &WorkloadOptions::default()).unwrap();
        assert_eq!(insert.protocol(), Protocol::Text);
        assert_eq!((insert.range_size(), insert.transaction()), (None, false));
    }

    #[test]
    fn ten_updates_are_write_only_with_its_counts() {
        let chosen = counts(&[
            (Group::IndexUpdates, 10),
            (Group::NonIndexUpdates, 0),
            (Group::DeleteInserts, 0),
        ]);
        let write_only = with("oltp_write_only", &chosen).unwrap();
        let ten = with("write_only_10", &WorkloadOptions::default()).unwrap();
        assert!(write_only.groups().eq(ten.groups()));
        assert_eq!(write_only.transaction(), ten.transaction());
    }

    #[test]
    fn what_a_workload_has_not_is_refused() {
        let ranges = WorkloadOptions {
            range_size: Some(10),
            ..WorkloadOptions::default()
        };
        let skip_trx = WorkloadOptions {
            skip_trx: true,
            ..WorkloadOptions::default()
        };
        for (workload, options, option) in [
            (
                "update_key",
                counts(&[(Group::PointSelects, 2)]),
                "--point-selects",
            ),
            (
                "point_select",
                counts(&[(Group::PointSelects, 2)]),
                "--point-selects",
            ),
            (
                "read_only",
                counts(&[(Group::IndexUpdates, 0)]),
                "--index-updates",
            ),
            ("write_only", ranges, "--range-size"),
            ("delete", skip_trx, "--skip-trx"),
        ] {
            let error = with(workload, &options).unwrap_err().to_string();
            assert!(error.contains(workload) && error.contains(option), "{error}");
            assert!(error.contains("--protocol"), "{error}");
        }
    }

    #[test]
    fn an_insert_cannot_be_prepared_and_a_request_cannot_be_empty() {
        let prepared = WorkloadOptions {
            protocol: Some(Protocol::Prepared),
            ..WorkloadOptions::default()
        };
        assert_eq!(
            with("insert", &prepared).unwrap_err(),
            OptionError::NeverPrepared("insert")
        );
        let nothing = counts(&[(Group::IndexUpdates, 0)]);
        assert_eq!(
            with("update_key", &nothing).unwrap_err(),
            OptionError::Nothing("update_key")
        );
    }
}
