//! Requests of a drive: a workload with its options.

use std::sync::Arc;

use logtrace_common::SessionUse;

use crate::workloads::compat::Compat;
use crate::workloads::custom::CustomWorkload;
use crate::workloads::protocol::Protocol;
use crate::workloads::registry::WorkloadInfo;
use crate::workloads::sysbench::chosen_statements::{ChosenStatements, EDGES};
use crate::workloads::sysbench::script::{Script, count_option};
use crate::workloads::sysbench::statement_groups::StatementGroup;
use crate::workloads::tpcc::TpccConnection;
use crate::workloads::tpcc::options::{self as tpcc, TpccConfig, TpccOptions};
use crate::workloads::tpcc::profile::Profile;
use crate::workloads::tpcc::transaction_type::TransactionType;
use crate::workloads::{OptionError, PROTOCOL_OPTION, RANGE_SIZE_OPTION, SKIP_TRX_OPTION};

/// Options that differ from the defaults.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WorkloadOptions {
    /// Program whose defaults are used.
    pub compat: Option<Compat>,
    /// Number of times that a request has the statements of a group.
    pub counts: Vec<(StatementGroup, u32)>,
    /// Number of rows of a range, at least 1.
    pub range_size: Option<u32>,
    /// Whether each statement commits by itself, without BEGIN and COMMIT.
    pub skip_trx: bool,
    /// How statements are sent.
    pub protocol: Option<Protocol>,
    /// Options of the TPC-C-like workload.
    pub tpcc: TpccOptions,
}

/// Workload with its options.
#[derive(Clone, Debug)]
pub struct Requests {
    content: Content,
    protocol: Protocol,
}

/// Statements of requests.
#[derive(Clone, Debug)]
pub enum Content {
    /// Script of sysbench, on sysbench's tables.
    Script(ChosenStatements),
    /// Transactions of [`crate::workloads::tpcc`].
    Tpcc(TpccConfig),
    /// Statements of a file.
    File(Arc<CustomWorkload>),
}

impl Requests {
    /// Returns a workload with these options.
    pub fn new(workload: &'static WorkloadInfo, options: &WorkloadOptions) -> Result<Self, OptionError> {
        Self::plain(workload).with(options)
    }

    /// Returns the requests of a file, with these options.
    pub fn of_file(custom: CustomWorkload, options: &WorkloadOptions) -> Result<Self, OptionError> {
        let plain = Self {
            content: Content::File(Arc::new(custom)),
            protocol: Protocol::Prepared,
        };
        plain.with(options)
    }

    /// Returns a workload with the defaults of sysbench or of the TPC-C specification.
    pub fn plain(workload: &'static WorkloadInfo) -> Self {
        match &workload.script {
            Some(script) => Self {
                content: Content::Script(ChosenStatements::plain(workload.name, script)),
                protocol: script.protocol,
            },
            None => Self::of_tpcc(TpccConfig::default()),
        }
    }

    fn of_tpcc(tpcc: TpccConfig) -> Self {
        Self {
            content: Content::Tpcc(tpcc),
            protocol: tpcc.profile.protocol(),
        }
    }

    fn with(mut self, options: &WorkloadOptions) -> Result<Self, OptionError> {
        self.check(options)?;
        match &mut self.content {
            Content::Script(statements) => {
                statements.apply(
                    &options.counts,
                    options.range_size,
                    options.skip_trx,
                    options.protocol,
                )?;
            }
            Content::Tpcc(_) => {
                let profile = options.compat.and_then(Compat::profile).unwrap_or_default();
                self = Self::of_tpcc(TpccConfig::new(profile, options.tpcc));
            }
            Content::File(_) => {}
        }
        self.protocol = options.protocol.unwrap_or(self.protocol);
        Ok(self)
    }

    /// Refuses the first option that does not apply.
    fn check(&self, options: &WorkloadOptions) -> Result<(), OptionError> {
        let check = |option: &str, applies: bool| match applies {
            true => Ok(()),
            false => Err(self.refuse(option)),
        };
        let script = self.script().map(|statements| statements.script);
        if let Some(compat) = options.compat {
            let applies = match self.content {
                Content::Script(_) => compat.profile().is_none(),
                Content::Tpcc(_) => compat.profile().is_some(),
                Content::File(_) => false,
            };
            check(&format!("--compat {compat}"), applies)?;
        }
        for &(group, _) in &options.counts {
            let can_count = script.is_some_and(|script| script.can_count(group));
            check(&count_option(group), can_count)?;
        }
        if options.range_size.is_some() {
            check(RANGE_SIZE_OPTION, script.is_some_and(Script::has_ranges))?;
        }
        if options.skip_trx {
            let can_skip = script.is_some_and(|script| script.transaction.is_some());
            check(SKIP_TRX_OPTION, can_skip)?;
        }
        if options.protocol == Some(Protocol::Procedures) && !self.can_call_procedures(options.compat) {
            let remedy = "--protocol procedures needs --workload tpcc and --compat dbt2";
            return Err(OptionError(remedy.to_owned()));
        }
        let mut tpcc = options.tpcc.given();
        tpcc.try_for_each(|option| check(option, self.tpcc().is_some()))
    }

    fn can_call_procedures(&self, compat: Option<Compat>) -> bool {
        let profile = compat.and_then(Compat::profile);
        self.tpcc().is_some() && profile.is_some_and(Profile::has_procedures)
    }

    /// Returns the error for an option that does not apply to these requests.
    pub fn refuse(&self, option: &str) -> OptionError {
        let workload = self.name();
        let takes = match &self.content {
            Content::Script(statements) => statements.script.options(),
            Content::Tpcc(_) => TpccOptions::NAMES.to_owned(),
            Content::File(_) => PROTOCOL_OPTION.to_owned(),
        };
        OptionError(format!(
            "{option} does not apply to the workload {workload}, which takes {takes}"
        ))
    }

    /// Returns the statements.
    pub fn content(&self) -> &Content {
        &self.content
    }

    /// Returns the name of the workload or file.
    pub fn name(&self) -> &str {
        match &self.content {
            Content::Script(statements) => statements.name,
            Content::Tpcc(_) => tpcc::NAME,
            Content::File(custom) => custom.name(),
        }
    }

    /// Returns the names of the kinds of requests; empty if there is only one kind.
    pub fn kinds(&self) -> Vec<&str> {
        match &self.content {
            Content::Script(_) => Vec::new(),
            Content::Tpcc(_) => TransactionType::NAMES.to_vec(),
            Content::File(custom) => custom.kinds().collect(),
        }
    }

    /// Returns the groups of a request in their order, with the number of times that it has the statements of each.
    pub fn groups(&self) -> impl Iterator<Item = (StatementGroup, u32)> + '_ {
        self.script().into_iter().flat_map(ChosenStatements::groups)
    }

    /// Returns the number of rows of a range, or `None` if the workload reads no ranges.
    pub fn range_size(&self) -> Option<u32> {
        self.script()?.range_size()
    }

    /// Returns whether BEGIN and COMMIT are around the statements of every request.
    pub fn transaction(&self) -> bool {
        match &self.content {
            Content::Script(statements) => statements.transaction,
            Content::Tpcc(_) => true,
            Content::File(custom) => custom.transaction(),
        }
    }

    pub(crate) fn session(&self) -> SessionUse {
        match &self.content {
            Content::Script(_) | Content::Tpcc(_) => SessionUse::Requests,
            Content::File(_) => SessionUse::FileRequests,
        }
    }

    /// Returns how statements are sent.
    pub fn protocol(&self) -> Protocol {
        self.protocol
    }

    /// Returns the number of statements that each connection prepares for this number of tables.
    pub fn prepared_statements(&self, tables: u32) -> usize {
        match (&self.content, self.protocol) {
            (_, Protocol::Text | Protocol::Procedures) => 0,
            (Content::Script(statements), _) => statements.prepared(tables),
            (Content::Tpcc(tpcc), _) => TpccConnection::prepared(*tpcc),
            (Content::File(custom), _) => custom.statements() + EDGES,
        }
    }

    /// Returns the statements of a sysbench script, or `None` for other requests.
    pub(crate) fn script(&self) -> Option<&ChosenStatements> {
        match &self.content {
            Content::Script(statements) => Some(statements),
            Content::Tpcc(_) | Content::File(_) => None,
        }
    }

    /// Returns the workload of a file, or `None` for a built-in workload.
    pub fn custom(&self) -> Option<&Arc<CustomWorkload>> {
        match &self.content {
            Content::File(custom) => Some(custom),
            Content::Script(_) | Content::Tpcc(_) => None,
        }
    }

    /// Returns the configuration of the TPC-C-like workload, or `None` for other requests.
    pub fn tpcc(&self) -> Option<TpccConfig> {
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

    fn counts(counts: &[(StatementGroup, u32)]) -> WorkloadOptions {
        WorkloadOptions {
            counts: counts.to_vec(),
            ..WorkloadOptions::default()
        }
    }

    #[test]
    fn defaults_are_those_of_sysbench() {
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
            (StatementGroup::IndexUpdates, 10),
            (StatementGroup::NonIndexUpdates, 0),
            (StatementGroup::DeleteInserts, 0),
        ]);
        let write_only = with("oltp_write_only", &chosen).unwrap();
        let ten = with("write_only_10", &WorkloadOptions::default()).unwrap();
        assert!(write_only.groups().eq(ten.groups()));
        assert_eq!(write_only.transaction(), ten.transaction());
    }

    #[test]
    fn options_that_do_not_apply_are_refused() {
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
                counts(&[(StatementGroup::PointSelects, 2)]),
                "--point-selects",
            ),
            (
                "point_select",
                counts(&[(StatementGroup::PointSelects, 2)]),
                "--point-selects",
            ),
            (
                "read_only",
                counts(&[(StatementGroup::IndexUpdates, 0)]),
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
        let refused = |workload, options| with(workload, options).unwrap_err().to_string();
        assert!(refused("insert", &prepared).contains("insert sends its statements as text"));
        let nothing = counts(&[(StatementGroup::IndexUpdates, 0)]);
        assert!(refused("update_key", &nothing).contains("update_key would have no statements"));
    }
}
