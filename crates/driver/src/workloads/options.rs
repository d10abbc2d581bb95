//! What the requests of one drive are: a workload with its options, checked.

use std::sync::Arc;

use thiserror::Error;

use crate::workloads::compat::Compat;
use crate::workloads::custom::custom_workload::Custom;
use crate::workloads::protocol::Protocol;
use crate::workloads::registry::{Known, WorkloadInfo};
use crate::workloads::sysbench::chosen_statements::{EDGES, Statements};
use crate::workloads::sysbench::script::{Script, count_option};
use crate::workloads::sysbench::statement_groups::Group;
use crate::workloads::tpcc;
use crate::workloads::tpcc::connection::Terminal;
use crate::workloads::tpcc::options::{Tpcc, TpccOptions};

pub(crate) const RANGE_SIZE_OPTION: &str = "--range-size";
pub(crate) const SKIP_TRX_OPTION: &str = "--skip-trx";
pub(crate) const PROTOCOL_OPTION: &str = "--protocol";

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
    content: Content,
    protocol: Protocol,
}

/// Where the statements of requests come from, with what was chosen.
#[derive(Clone, Debug)]
pub enum Content {
    /// A script of sysbench's, on its tables.
    Script(Statements),
    /// The transactions of [`crate::workloads::tpcc`].
    Tpcc(Tpcc),
    /// A file.
    File(Arc<Custom>),
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

    /// The requests of a file, with these options.
    pub fn of_file(custom: Custom, options: &WorkloadOptions) -> Result<Self, OptionError> {
        let plain = Self {
            content: Content::File(Arc::new(custom)),
            protocol: Protocol::Prepared,
        };
        plain.with(options)
    }

    /// A workload as sysbench has it, or the specification.
    pub fn plain(workload: &'static WorkloadInfo) -> Self {
        match &workload.known {
            Known::Script(script) => Self {
                content: Content::Script(Statements::plain(workload.name, script)),
                protocol: script.protocol,
            },
            Known::Tpcc => Self::of_tpcc(Tpcc::default()),
        }
    }

    fn of_tpcc(tpcc: Tpcc) -> Self {
        Self {
            content: Content::Tpcc(tpcc),
            protocol: tpcc.profile.protocol(),
        }
    }

    fn with(mut self, options: &WorkloadOptions) -> Result<Self, OptionError> {
        self.check(options)?;
        match &mut self.content {
            Content::Script(statements) => statements.choose(options)?,
            Content::Tpcc(_) => {
                let profile = options.compat.and_then(Compat::profile).unwrap_or_default();
                self = Self::of_tpcc(Tpcc::new(profile, options.tpcc));
            }
            Content::File(_) => {}
        }
        self.protocol = options.protocol.unwrap_or(self.protocol);
        Ok(self)
    }

    /// Refuses the first option that would change nothing.
    fn check(&self, options: &WorkloadOptions) -> Result<(), OptionError> {
        let mut given = self.given(options).into_iter();
        let unknown = given.find(|(_, is_known)| !is_known);
        unknown.map_or(Ok(()), |(option, _)| Err(self.refuse(&option)))
    }

    /// Options that were given, and whether they change something.
    fn given(&self, options: &WorkloadOptions) -> Vec<(String, bool)> {
        let compat = options.compat.iter();
        let compat = compat.map(|&compat| (format!("--compat {compat}"), self.is_like(compat)));
        let of_tpcc = options.tpcc.given();
        let of_tpcc = of_tpcc.map(|option| (option.to_owned(), self.tpcc().is_some()));
        let of_scripts = self.given_to_scripts(options).into_iter();
        compat.chain(of_scripts).chain(of_tpcc).collect()
    }

    /// The same of those that scripts of sysbench's have.
    fn given_to_scripts(&self, options: &WorkloadOptions) -> Vec<(String, bool)> {
        let script = self.script().map(|statements| statements.script);
        let counts = options.counts.iter().map(|&(group, _)| {
            let can_count = script.is_some_and(|script| script.can_count(group));
            (count_option(group), can_count)
        });
        let range_size = options.range_size.map(|_| {
            let has_ranges = script.is_some_and(Script::has_ranges);
            (RANGE_SIZE_OPTION.to_owned(), has_ranges)
        });
        let skip_trx = options.skip_trx.then(|| {
            let can_skip = script.is_some_and(|script| script.transaction.is_some());
            (SKIP_TRX_OPTION.to_owned(), can_skip)
        });
        counts.chain(range_size).chain(skip_trx).collect()
    }

    /// Whether a program has such requests, and defaults for them.
    fn is_like(&self, compat: Compat) -> bool {
        match self.content {
            Content::Script(_) => compat.profile().is_none(),
            Content::Tpcc(_) => compat.profile().is_some(),
            Content::File(_) => false,
        }
    }

    /// Refuses an option that changes nothing about these requests.
    pub fn refuse(&self, option: &str) -> OptionError {
        OptionError::Unknown {
            workload: self.name().to_owned(),
            option: option.into(),
            takes: match &self.content {
                Content::Script(statements) => statements.script.options(),
                Content::Tpcc(_) => TpccOptions::names(),
                Content::File(_) => PROTOCOL_OPTION.to_owned(),
            },
        }
    }

    /// Where their statements come from.
    pub fn content(&self) -> &Content {
        &self.content
    }

    /// The name: that of the workload, or of the file.
    pub fn name(&self) -> &str {
        match &self.content {
            Content::Script(statements) => statements.name,
            Content::Tpcc(_) => tpcc::NAME,
            Content::File(custom) => custom.name(),
        }
    }

    /// Names of the kinds of requests, where they are not all of one.
    pub fn kinds(&self) -> Vec<&str> {
        match &self.content {
            Content::Script(_) => Vec::new(),
            Content::Tpcc(_) => tpcc::Transaction::NAMES.to_vec(),
            Content::File(custom) => custom.kinds().collect(),
        }
    }

    /// The groups of a request in their order, and how many times it has the statements of each.
    pub fn groups(&self) -> impl Iterator<Item = (Group, u32)> + '_ {
        self.script().into_iter().flat_map(Statements::groups)
    }

    /// Rows of a range; `None` where the workload reads none.
    pub fn range_size(&self) -> Option<u32> {
        self.script()?.range_size()
    }

    /// Whether BEGIN and COMMIT are around the statements of every request.
    pub fn transaction(&self) -> bool {
        match &self.content {
            Content::Script(statements) => statements.transaction,
            Content::Tpcc(_) => true,
            Content::File(custom) => custom.transaction(),
        }
    }

    /// How statements are sent.
    pub fn protocol(&self) -> Protocol {
        self.protocol
    }

    /// Statements that each connection prepares, with this many tables.
    pub fn prepared_statements(&self, tables: u32) -> usize {
        match (&self.content, self.protocol) {
            (_, Protocol::Text) => 0,
            (Content::Script(statements), _) => statements.prepared(tables),
            (Content::Tpcc(tpcc), _) => Terminal::statements(*tpcc),
            (Content::File(custom), _) => custom.statements() + EDGES,
        }
    }

    /// The statements; `None` where they are not a script's of sysbench's.
    pub(crate) fn script(&self) -> Option<&Statements> {
        match &self.content {
            Content::Script(statements) => Some(statements),
            Content::Tpcc(_) | Content::File(_) => None,
        }
    }

    /// The file; `None` for a workload of [`crate::workloads::registry::workloads()`].
    pub fn custom(&self) -> Option<&Arc<Custom>> {
        match &self.content {
            Content::File(custom) => Some(custom),
            Content::Script(_) | Content::Tpcc(_) => None,
        }
    }

    /// What the TPC-C-like workload is to be; `None` for any other.
    pub fn tpcc(&self) -> Option<Tpcc> {
        match self.content {
            Content::Tpcc(tpcc) => Some(tpcc),
            Content::Script(_) | Content::File(_) => None,
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
