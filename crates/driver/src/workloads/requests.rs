//! What the requests of one drive are: a workload with its options, checked.

use std::sync::Arc;

use thiserror::Error;

use super::{Content, FILE, Group, Protocol, Script, WorkloadInfo};
use crate::Compat;
use crate::custom::Custom;
use crate::tpcc::{Terminal, Tpcc, TpccOptions};

/// Rows of a range, unless it is said otherwise.
const RANGE_SIZE: u32 = 100;

const RANGE_SIZE_OPTION: &str = "--range-size";
/// BEGIN and COMMIT.
const EDGES: usize = 2;

const SKIP_TRX_OPTION: &str = "--skip-trx";
const PROTOCOL_OPTION: &str = "--protocol";

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
#[derive(Clone, Debug)]
pub struct Requests {
    workload: &'static WorkloadInfo,
    /// By group.
    counts: [u32; Group::ALL.len()],
    range_size: u32,
    transaction: bool,
    protocol: Protocol,
    tpcc: Option<Tpcc>,
    custom: Option<Arc<Custom>>,
}

/// An option that a workload has nothing for.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OptionError {
    /// It would change nothing.
    #[error("{option} does not apply to the workload {workload}, which takes {takes}")]
    Unknown {
        /// The workload's name.
        workload: String,
        /// The option, as commands have it.
        option: String,
        /// What the workload takes.
        takes: String,
    },
    /// Its statements are never prepared.
    #[error("the workload {0} sends its statements as text, as sysbench does: it cannot prepare them")]
    NeverPrepared(String),
    /// Nothing is left.
    #[error("a request of {0} would send nothing: let it have at least one statement")]
    Nothing(String),
}

impl Requests {
    /// A workload with these options.
    pub fn new(workload: &'static WorkloadInfo, options: &WorkloadOptions) -> Result<Self, OptionError> {
        Self::plain(workload).with(options)
    }

    fn with(self, options: &WorkloadOptions) -> Result<Self, OptionError> {
        let script = self.workload.script();
        if let Some(compat) = options.compat {
            let is_known = self.custom.is_none() && compat.profile().is_some() == self.tpcc.is_some();
            self.known(&format!("--compat {compat}"), is_known)?;
        }
        for &(group, _) in &options.counts {
            let can_count = script.is_some_and(|script| script.can_count(group));
            self.known(&option(group.name()), can_count)?;
        }
        let has_ranges = script.is_some_and(Script::has_ranges);
        self.known(RANGE_SIZE_OPTION, options.range_size.is_none() || has_ranges)?;
        let can_skip = script.is_some_and(|script| script.transaction.is_some());
        self.known(SKIP_TRX_OPTION, !options.skip_trx || can_skip)?;
        match script {
            Some(script) => self.scripted(script, options),
            None if self.custom.is_some() => self.with_file(options),
            None => Ok(self.with_tpcc(options)),
        }
    }

    /// The requests of a file, with these options.
    pub fn of_file(custom: Custom, options: &WorkloadOptions) -> Result<Self, OptionError> {
        let plain = Self {
            custom: Some(Arc::new(custom)),
            ..Self::plain(&FILE)
        };
        plain.with(options)
    }

    fn scripted(mut self, script: &Script, options: &WorkloadOptions) -> Result<Self, OptionError> {
        self.without_tpcc(options)?;
        for &(group, count) in &options.counts {
            self.counts[group as usize] = count;
        }
        self.range_size = options.range_size.unwrap_or(self.range_size);
        self.transaction = self.transaction && !options.skip_trx;
        if options.protocol == Some(Protocol::Prepared) && script.protocol == Protocol::Text {
            return Err(OptionError::NeverPrepared(self.name().to_owned()));
        }
        self.protocol = options.protocol.unwrap_or(script.protocol);
        let sends = self.transaction || self.groups().any(|(_, count)| count > 0);
        match sends {
            true => Ok(self),
            false => Err(OptionError::Nothing(self.name().to_owned())),
        }
    }

    fn with_file(mut self, options: &WorkloadOptions) -> Result<Self, OptionError> {
        self.without_tpcc(options)?;
        self.protocol = options.protocol.unwrap_or(self.protocol);
        Ok(self)
    }

    fn without_tpcc(&self, options: &WorkloadOptions) -> Result<(), OptionError> {
        let first = options.tpcc.given().next();
        first.map_or(Ok(()), |option| Err(self.refuse(option)))
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
            tpcc: matches!(workload.content, Content::Tpcc).then(Tpcc::default),
            custom: None,
        }
    }

    /// Refuses an option that changes nothing about these requests.
    pub fn refuse(&self, option: &str) -> OptionError {
        OptionError::Unknown {
            workload: self.name().to_owned(),
            option: option.into(),
            takes: match (&self.custom, self.workload.script()) {
                (Some(_), _) => PROTOCOL_OPTION.to_owned(),
                (None, Some(script)) => script.options(),
                (None, None) => TpccOptions::names(),
            },
        }
    }

    fn known(&self, option: &str, is_known: bool) -> Result<(), OptionError> {
        is_known.then_some(()).ok_or_else(|| self.refuse(option))
    }

    /// The workload.
    pub fn workload(&self) -> &'static WorkloadInfo {
        self.workload
    }

    /// Its name: that of the workload, or of the file.
    pub fn name(&self) -> &str {
        self.custom().map_or(self.workload.name, |custom| custom.name())
    }

    /// Names of the kinds of its requests, where they are not all of one.
    pub fn kinds(&self) -> Vec<&str> {
        let of_file = self.custom().map(|custom| custom.kinds().collect());
        of_file.unwrap_or_else(|| self.workload.kinds.to_vec())
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

    /// Whether BEGIN and COMMIT are around the statements of every request.
    pub fn transaction(&self) -> bool {
        self.custom()
            .map_or(self.transaction, |custom| custom.transaction())
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
        match (&self.custom, self.tpcc) {
            (Some(custom), _) => custom.statements() + EDGES,
            (None, Some(tpcc)) => Terminal::statements(tpcc),
            (None, None) => on_each_table.sum::<usize>() * tables as usize + EDGES,
        }
    }

    /// Whether the workload is a script of sysbench's, on its tables.
    pub fn is_scripted(&self) -> bool {
        self.workload.script().is_some()
    }

    /// The file; `None` for a workload of [`super::workloads()`].
    pub fn custom(&self) -> Option<&Arc<Custom>> {
        self.custom.as_ref()
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
            options.push(PROTOCOL_OPTION.to_owned());
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
            OptionError::NeverPrepared("insert".into())
        );
        let nothing = counts(&[(Group::IndexUpdates, 0)]);
        assert_eq!(
            with("update_key", &nothing).unwrap_err(),
            OptionError::Nothing("update_key".into())
        );
    }
}
