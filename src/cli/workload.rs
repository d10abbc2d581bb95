//! The options of a workload: under sysbench's names where sysbench has them.

use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use logtrace_driver::tpcc::{HomeWarehouse, TpccOptions};
use logtrace_driver::{Compat, Group, Protocol, UnknownWorkload, WorkloadInfo, WorkloadOptions};

/// Which workload.
#[derive(Clone, Debug)]
pub(crate) enum WorkloadChoice {
    /// One of logtrace's.
    Known(&'static WorkloadInfo),
    /// A file's.
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

/// What each request does.
#[derive(Debug, Args)]
#[command(next_help_heading = "What each request does")]
pub(crate) struct WorkloadArgs {
    /// The workload, by its name or sysbench's (`logtrace workloads` lists them), or a file of your own SQL, whose name
    /// ends in .toml (docs/workloads.md).
    #[arg(long, value_name = "NAME|FILE.toml", default_value = "update_key")]
    pub(crate) workload: WorkloadChoice,

    /// The defaults of another program. sysbench-1.0, sysbench-1.1: for what is not named of --keys (1.0: special, 1.1:
    /// uniform), --tables (1) and --rows (10000); statements and their counts are those of both. For tpcc: sysbench-tpcc,
    /// dbt2, with their deviations from the specification (docs/workloads.md).
    #[arg(long, value_name = "PROGRAM")]
    pub(crate) compat: Option<Compat>,

    /// Rows of a range that is read [default: 100].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MOST_ROWS))]
    range_size: Option<u32>,

    /// SELECTs of one row in a request [default: 10].
    #[arg(long, value_name = "N", value_parser = count())]
    point_selects: Option<u32>,

    /// SELECTs of a range [default: 1].
    #[arg(long, value_name = "N", value_parser = count())]
    simple_ranges: Option<u32>,

    /// SELECT SUMs over a range [default: 1].
    #[arg(long, value_name = "N", value_parser = count())]
    sum_ranges: Option<u32>,

    /// SELECTs of a range with ORDER BY [default: 1].
    #[arg(long, value_name = "N", value_parser = count())]
    order_ranges: Option<u32>,

    /// SELECT DISTINCTs of a range [default: 1].
    #[arg(long, value_name = "N", value_parser = count())]
    distinct_ranges: Option<u32>,

    /// UPDATEs of the indexed column [default: 1].
    #[arg(long, value_name = "N", value_parser = count())]
    index_updates: Option<u32>,

    /// UPDATEs of the column without index [default: 1].
    #[arg(long, value_name = "N", value_parser = count())]
    non_index_updates: Option<u32>,

    /// DELETEs with an INSERT of the same row [default: 1].
    #[arg(long, value_name = "N", value_parser = count())]
    delete_inserts: Option<u32>,

    /// Commit each statement by itself, instead of all by BEGIN and COMMIT.
    #[arg(long)]
    skip_trx: bool,

    /// Send statements prepared or as text (sysbench's --db-ps-mode) [default: prepared; insert: text].
    #[arg(long, value_name = "HOW")]
    protocol: Option<Protocol>,

    /// tpcc: warehouses, about 100 MB each [default: 1].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MOST_WAREHOUSES))]
    warehouses: Option<u32>,

    /// tpcc: each connection is one terminal, whose user types (2 to 18 s) and thinks (5 to 12 s on average) between
    /// requests, as with DBT2: ten --connections a warehouse are usual. A closed loop.
    #[arg(long, conflicts_with_all = ["rate", "schedule", "replay"])]
    pub(crate) keying_times: bool,

    /// tpcc: check the specification's consistency conditions 1 to 10 and 12 after the load and after the run. Reads
    /// the tables as a whole several times.
    #[arg(long)]
    pub(crate) check: bool,
}

/// More would take years to load.
const MOST_WAREHOUSES: i64 = 100_000;

/// Rows that a table can have.
const MOST_ROWS: i64 = 2_147_483_647;

/// A request of more statements would be no request.
fn count() -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(0..=10_000)
}

impl WorkloadArgs {
    /// What is to differ from the defaults. Terminals of a closed loop have connections of their own.
    pub(crate) fn options(&self, is_closed: bool) -> WorkloadOptions {
        let counts = [
            (Group::PointSelects, self.point_selects),
            (Group::SimpleRanges, self.simple_ranges),
            (Group::SumRanges, self.sum_ranges),
            (Group::OrderRanges, self.order_ranges),
            (Group::DistinctRanges, self.distinct_ranges),
            (Group::IndexUpdates, self.index_updates),
            (Group::NonIndexUpdates, self.non_index_updates),
            (Group::DeleteInserts, self.delete_inserts),
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
