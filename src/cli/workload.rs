//! The options of a workload, under sysbench's names.

use clap::Args;
use logtrace_driver::{Compat, Group, Protocol, WorkloadInfo, WorkloadOptions};

/// What each request does.
#[derive(Debug, Args)]
#[command(next_help_heading = "What each request does")]
pub(crate) struct WorkloadArgs {
    /// The workload, by its name or sysbench's; `logtrace workloads` lists them.
    #[arg(long, value_name = "NAME", default_value = "update_key", value_parser = WorkloadInfo::find)]
    pub(crate) workload: &'static WorkloadInfo,

    /// The defaults of a release of sysbench for what is not named: --keys (1.0: special, 1.1: uniform), --tables (1)
    /// and --rows (10000). Statements and their counts are those of both.
    #[arg(long, value_name = "RELEASE")]
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
}

/// Rows that a table can have.
const MOST_ROWS: i64 = 2_147_483_647;

/// A request of more statements would be no request.
fn count() -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(0..=10_000)
}

impl WorkloadArgs {
    /// What is to differ from sysbench's defaults.
    pub(crate) fn options(&self) -> WorkloadOptions {
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
            counts: counts
                .into_iter()
                .filter_map(|(group, count)| Some((group, count?)))
                .collect(),
            range_size: self.range_size,
            skip_trx: self.skip_trx,
            protocol: self.protocol,
        }
    }
}
