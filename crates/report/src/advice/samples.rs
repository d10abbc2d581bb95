//! Runs with known causes, for tests of advice.

use logtrace_attribution::breakdown::{CauseCube, CauseRow, CubeCell, OverTime, StackRow};
use logtrace_attribution::cause::Cause;
use logtrace_common::Flavor;

use crate::document::{Commits, Document, Host, Server};

/// Returns a run on two CPUs and ext4 with these causes, a share of all and of the slowest commits each.
pub(super) fn run(flavor: Flavor, settings: &[(&str, &str)], causes: &[(Cause, u64, u64)]) -> Document {
    let server = Server::sample(flavor, settings);
    let row = |&(cause, total, slowest)| CauseRow {
        cause,
        total,
        commits: 1,
        slowest,
    };
    Document {
        host: Some(Host {
            kernel: String::new(),
            cpu_model: String::new(),
            cpus: 2,
            memory_bytes: 0,
            disks: Vec::new(),
        }),
        commits: Some(Commits {
            count: 1_000,
            total: causes.iter().map(|cause| cause.1).sum(),
            slowest_count: 10,
            slowest_total: causes.iter().map(|cause| cause.2).sum(),
            ..Commits::default()
        }),
        causes: causes.iter().map(row).collect(),
        ..Document::new(String::new(), server)
    }
}

/// Returns a run in which one cause is a third of all.
pub(super) fn of_cause(flavor: Flavor, settings: &[(&str, &str)], cause: Cause) -> Document {
    let rest = Cause::UNEXPLAINED;
    run(
        flavor,
        settings,
        &[(cause, 1_000_000, 100_000), (rest, 2_000_000, 200_000)],
    )
}

/// Returns thirty columns of time with the same causes, of which the first one varies.
pub(super) fn columns(document: &Document) -> OverTime {
    let rows = document.causes.iter().map(|row| StackRow {
        cause: row.cause,
        frames: Vec::new(),
    });
    let cells = (0..30).flat_map(|column| {
        let cell = move |stack, ns| CubeCell {
            column,
            band: 0,
            stack,
            ns,
            commits: 1,
        };
        [cell(0, 80 + 10 * (column % 5)), cell(1, 200)]
    });
    OverTime {
        causes: CauseCube {
            column_ns: 100_000_000,
            stacks: rows.collect(),
            cells: cells.collect(),
        },
        ..OverTime::default()
    }
}
