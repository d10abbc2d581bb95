//! Coarser numbers over time, for a page that would be too large to send.

use std::collections::BTreeMap;

use logtrace_attribution::breakdown::{CauseCube, CubeCell, Exemplars, HeatCell, HeatCells, OverTime};

/// Columns that are kept as long as there is something else to leave out: a minute to a second.
const FEW_COLUMNS: u64 = 64;

/// Returns the same commits with less about them, or `None` if there is nothing left to leave out. Columns of time become wider
/// first, as their sums stay exact; then single commits lose what their threads did, and then those go that are not the slowest.
pub(in crate::render) fn coarser(over_time: &OverTime) -> Option<OverTime> {
    let OverTime {
        commits,
        causes,
        slowest,
        typical,
        stalls,
        requests: _,
        under_way: _,
        waited_for: _,
        threads: _,
    } = over_time;
    let last = causes.cells.last().map_or(0, |cell| cell.column);
    let mut less = over_time.clone();
    let has_records = |exemplars: &Exemplars| exemplars.commits.iter().any(|commit| commit.records.is_some());
    if last >= FEW_COLUMNS {
        (less.commits, less.causes) = (wider_map(commits), wider_cube(causes));
    } else if has_records(typical) || has_records(stalls) {
        less.typical = without_records(typical);
        less.stalls = without_records(stalls);
    } else if has_records(slowest) {
        less.slowest = without_records(slowest);
    } else if !typical.commits.is_empty() || !stalls.commits.is_empty() {
        (less.typical, less.stalls) = (Exemplars::default(), Exemplars::default());
    } else if last > 0 {
        (less.commits, less.causes) = (wider_map(commits), wider_cube(causes));
    } else {
        return None;
    }
    Some(less)
}

fn without_records(exemplars: &Exemplars) -> Exemplars {
    let mut less = exemplars.clone();
    for commit in &mut less.commits {
        commit.records = None;
    }
    less
}

/// Returns a heat map with columns twice as wide.
fn wider_map(map: &HeatCells) -> HeatCells {
    let mut counts = BTreeMap::<(u64, u16), u64>::new();
    for cell in &map.cells {
        let count = counts.entry((cell.column / 2, cell.row)).or_default();
        *count = count.saturating_add(cell.count);
    }
    let counts = counts.into_iter();
    let cells = counts.map(|((column, row), count)| HeatCell { column, row, count });
    HeatCells {
        column_ns: map.column_ns.saturating_mul(2),
        cells: cells.collect(),
    }
}

/// Returns causes with columns twice as wide.
fn wider_cube(cube: &CauseCube) -> CauseCube {
    let mut sums = BTreeMap::<(u64, u16, usize), (u64, u64)>::new();
    for cell in &cube.cells {
        let (ns, commits) = sums.entry((cell.column / 2, cell.band, cell.stack)).or_default();
        *ns = ns.saturating_add(cell.ns);
        *commits = commits.saturating_add(cell.commits);
    }
    let cells = sums
        .into_iter()
        .map(|((column, band, stack), (ns, commits))| CubeCell {
            column,
            band,
            stack,
            ns,
            commits,
        });
    CauseCube {
        column_ns: cube.column_ns.saturating_mul(2),
        stacks: cube.stacks.clone(),
        cells: cells.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use logtrace_attribution::breakdown::StackRow;
    use logtrace_attribution::breakdown::{Exemplar, ExemplarRecords};
    use logtrace_attribution::cause::Cause;

    fn exemplars() -> Exemplars {
        Exemplars {
            commits: vec![Exemplar {
                records: Some(ExemplarRecords::default()),
                ..Exemplar::default()
            }],
            ..Exemplars::default()
        }
    }

    fn over_time() -> OverTime {
        let columns = || 0..300;
        let commits = columns().map(|column| HeatCell {
            column,
            row: 40,
            count: 2,
        });
        let causes = columns().map(|column| CubeCell {
            column,
            band: 10,
            stack: 0,
            ns: 1 + column,
            commits: 2,
        });
        OverTime {
            commits: HeatCells {
                column_ns: 100,
                cells: commits.collect(),
            },
            causes: CauseCube {
                column_ns: 100,
                stacks: vec![StackRow {
                    cause: Cause::UNEXPLAINED,
                    frames: Vec::new(),
                }],
                cells: causes.collect(),
            },
            slowest: exemplars(),
            typical: exemplars(),
            stalls: exemplars(),
            ..OverTime::default()
        }
    }

    /// Counts the cells of causes, the exemplars, and the exemplars with records.
    fn size(over_time: &OverTime) -> (usize, usize, usize) {
        let all = [&over_time.slowest, &over_time.typical, &over_time.stalls];
        let commits = || all.iter().flat_map(|exemplars| &exemplars.commits);
        let with_records = commits().filter(|commit| commit.records.is_some()).count();
        (over_time.causes.cells.len(), commits().count(), with_records)
    }

    #[test]
    fn columns_go_first_and_the_slowest_commits_stay() {
        let steps = std::iter::successors(Some(over_time()), coarser);
        let steps: Vec<_> = steps.map(|step| size(&step)).collect();
        let expected = [
            (300, 3, 3),
            (150, 3, 3),
            (75, 3, 3),
            (38, 3, 3),
            (38, 3, 1),
            (38, 3, 0),
            (38, 1, 0),
            (19, 1, 0),
            (10, 1, 0),
            (5, 1, 0),
            (3, 1, 0),
            (2, 1, 0),
            (1, 1, 0),
        ];
        assert_eq!(steps, expected);
    }

    #[test]
    fn nothing_is_lost_from_the_sums() {
        for step in std::iter::successors(Some(over_time()), coarser) {
            let cells = &step.causes.cells;
            assert_eq!(cells.iter().map(|cell| cell.ns).sum::<u64>(), 300 * 301 / 2);
            assert_eq!(step.commits.count(), 600);
            assert_eq!(step.commits.column_ns, step.causes.column_ns);
        }
    }
}
