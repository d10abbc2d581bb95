//! Options of a workload, with the names of sysbench if sysbench has them.

use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use logtrace_driver::tpcc::{HomeWarehouse, TpccOptions};
use logtrace_driver::{Compat, Protocol, StatementGroup, UnknownWorkload, WorkloadInfo, WorkloadOptions};

/// Choice of a workload.
#[derive(Clone, Debug)]
pub(crate) enum WorkloadChoice {
    Known(&'static WorkloadInfo),
    File(PathBuf),
}

impl FromStr for WorkloadChoice {
    type Err = UnknownWorkload;

    fn from_str(text: &str) -> Result<Self, UnknownWorkload> {
        match text.ends_with(".toml") {
            true => Ok(Self::File(text.into())),
            false => WorkloadInfo::find(text).map(Self::Known),
        }
    }
}

/// Options of a workload.
#[derive(Debug, Args)]
#[command(next_help_heading = "What each request does")]
pub(crate) struct WorkloadArgs {
    /// Workload: its name, its name in sysbench (`logtrace workloads` lists both), or a TOML file with your own SQL
    /// (docs/workloads.md).
    #[arg(long, value_name = "NAME|FILE.toml", default_value = "update_key")]
    pub(crate) workload: WorkloadChoice,

    /// Use the defaults of another program. sysbench-1.0 and sysbench-1.1 set --keys (1.0: special, 1.1: uniform),
    /// --tables (1) and --rows (10000), unless you give these options. sysbench-tpcc and dbt2 are for tpcc, with their
    /// deviations from the specification (docs/workloads.md).
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) compat: Option<Compat>,

    /// Rows in the range of a range query [default: 100].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MOST_ROWS))]
    range_size: Option<u32>,

    /// Number of SELECTs of one row in each request [default: 10].
    #[arg(long, value_name = "N", value_parser = count())]
    point_selects: Option<u32>,

    /// Number of SELECTs of a range [default: 1].
    #[arg(long, value_name = "N", value_parser = count())]
    simple_ranges: Option<u32>,

    /// Number of SELECT SUMs over a range [default: 1].
    #[arg(long, value_name = "N", value_parser = count())]
    sum_ranges: Option<u32>,

    /// Number of SELECTs of a range with ORDER BY [default: 1].
    #[arg(long, value_name = "N", value_parser = count())]
    order_ranges: Option<u32>,

    /// Number of SELECT DISTINCTs of a range [default: 1].
    #[arg(long, value_name = "N", value_parser = count())]
    distinct_ranges: Option<u32>,

    /// Number of UPDATEs of the indexed column [default: 1].
    #[arg(long, value_name = "N", value_parser = count())]
    index_updates: Option<u32>,

    /// Number of UPDATEs of the column without an index [default: 1].
    #[arg(long, value_name = "N", value_parser = count())]
    non_index_updates: Option<u32>,

    /// Number of DELETEs, each followed by an INSERT of the same row [default: 1].
    #[arg(long, value_name = "N", value_parser = count())]
    delete_inserts: Option<u32>,

    /// Commit each statement by itself, without BEGIN and COMMIT.
    #[arg(long)]
    skip_trx: bool,

    /// Protocol of statements: prepared or text, as with sysbench's --db-ps-mode, or procedures, which tpcc calls with
    /// --compat dbt2 [default: prepared; insert and sysbench-tpcc: text; dbt2: procedures].
    #[arg(long, value_name = "HOW")]
    protocol: Option<Protocol>,

    /// tpcc: number of warehouses, about 100 MB each [default: 1].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MOST_WAREHOUSES))]
    warehouses: Option<u32>,

    /// tpcc: use keying and think times, as DBT2 does. Each connection is a terminal with a user who types for 2 to 18
    /// s and thinks for 5 to 12 s (mean) between requests. Ten --connections for each warehouse are usual. This is a
    /// closed loop.
    #[arg(long, conflicts_with_all = ["rate", "schedule", "replay"])]
    pub(crate) keying_times: bool,

    /// tpcc: check the numbers of rows and consistency conditions 1 to 10 and 12 of the specification after the load and
    /// after the run. Reads all tables several times.
    #[arg(long)]
    pub(crate) check: bool,
}

/// Largest number of warehouses: more would take years to load.
const MOST_WAREHOUSES: i64 = 100_000;

/// Largest number of rows in a table.
const MOST_ROWS: i64 = 2_147_483_647;

/// Parses a number of statements in a request.
fn count() -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(0..=10_000)
}

impl WorkloadArgs {
    /// Returns the options that differ from the defaults. In a closed loop each terminal has its own connection.
    pub(crate) fn options(&self, is_closed: bool) -> WorkloadOptions {
        let counts = [
            (StatementGroup::PointSelects, self.point_selects),
            (StatementGroup::SimpleRanges, self.simple_ranges),
            (StatementGroup::SumRanges, self.sum_ranges),
            (StatementGroup::OrderRanges, self.order_ranges),
            (StatementGroup::DistinctRanges, self.distinct_ranges),
            (StatementGroup::IndexUpdates, self.index_updates),
            (StatementGroup::NonIndexUpdates, self.non_index_updates),
            (StatementGroup::DeleteInserts, self.delete_inserts),
        ];
        WorkloadOptions {
            compat: self.compat,
            counts: counts
                .into_iter()
                .filter_map(|(group, count)| Some((group, count?)))
                .collect(),
            range_size: self.range_size,
            skip_trx: self.skip_trx,
            protocol: self.protocol,
            tpcc: TpccOptions {
                warehouses: self.warehouses,
                keying_times: self.keying_times,
                home: match is_closed {
                    true => HomeWarehouse::PerConnection,
                    false => HomeWarehouse::PerRequest,
                },
            },
        }
    }
}
