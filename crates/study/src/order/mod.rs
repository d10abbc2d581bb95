//! Order of the measurements, the servers that they share, and their cost.

pub(crate) mod cost_estimate;
pub(crate) mod living_servers;
pub(crate) mod measurement_order;
pub(crate) mod pilot;
pub(crate) mod server_reuse;

use logtrace_common::random::{Rng, Stream};

use crate::cell::Cell;
use crate::order::measurement_order::{Measurement, measurement_order, shuffle};

/// First number of the random choices for blocks of short turns. Smaller ones are those of windows.
const FIRST_STREAM: u32 = 1 << 16;
/// Random choices of a repeat.
const STREAMS: u32 = 1 << 8;

/// Step of a study.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Window of a cell.
    Window(Measurement),
    /// Block of short turns.
    Turns(TurnBlock),
}

/// Block of short turns: one of each cell of a fleet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnBlock {
    /// Number of the repeat, from 0.
    pub repeat: u32,
    /// Number of the fleet, from 0: servers that run side by side.
    pub fleet: u32,
    /// Number of the block in the repeat, from 0. Blocks of fleets with the same number belong together.
    pub number: u32,
    /// Indices of the cells in the list, in the order of their turns.
    pub cells: Vec<usize>,
    /// Seed of arrivals and requests: the same for all blocks with this number in the repeat.
    pub seed: u64,
}

impl Step {
    /// Returns the number of the repeat, from 0.
    pub fn repeat(&self) -> u32 {
        match self {
            Self::Window(window) => window.repeat,
            Self::Turns(block) => block.repeat,
        }
    }
}

/// Returns the steps of a study in their order. It depends on the cells, the number of servers that run side by side and the
/// seed only.
///
/// Repeats follow one another. In a repeat, the cells of each fleet first have their windows, and then their blocks of short
/// turns. The order of fleets, of windows and of the turns in each block is random.
pub fn study_steps(cells: &[Cell], seed: u64, living: usize) -> Vec<Step> {
    let fleets = fleets(cells, living);
    let mut windows = measurement_order(cells, seed);
    let repeats = cells.iter().map(|cell| cell.repeats).max().unwrap_or(0);
    let mut steps = Vec::new();
    for repeat in 0..repeats {
        let later = windows.partition_point(|window| window.repeat <= repeat);
        let own: Vec<Measurement> = windows.drain(..later).collect();
        for fleet in fleet_order(&fleets, &own, repeat, seed) {
            let windows = own.iter().filter(|window| fleets[window.cell] == fleet);
            steps.extend(windows.copied().map(Step::Window));
            steps.extend(blocks(cells, &fleets, (repeat, fleet), seed).map(Step::Turns));
        }
    }
    steps
}

/// Returns the number of the fleet of each cell. Cells that can share a server are in one, and neighbours in the plan are
/// together as far as there is room.
fn fleets(cells: &[Cell], living: usize) -> Vec<u32> {
    let mut servers: Vec<String> = Vec::new();
    let mut number = |cell: &Cell| {
        let key = cell.server_key();
        let known = servers.iter().position(|known| *known == key);
        let at = known.unwrap_or_else(|| {
            servers.push(key);
            servers.len() - 1
        });
        (at / living.max(1)) as u32
    };
    cells.iter().map(&mut number).collect()
}

/// Returns the fleets of a repeat: in the order of its windows, then those without any in random order.
fn fleet_order(fleets: &[u32], windows: &[Measurement], repeat: u32, seed: u64) -> Vec<u32> {
    let mut rest: Vec<u32> = fleets.to_vec();
    rest.sort_unstable();
    rest.dedup();
    shuffle(
        &mut rest,
        &mut Stream::Study(FIRST_STREAM + STREAMS * repeat).rng(seed),
    );
    let mut order: Vec<u32> = windows.iter().map(|window| fleets[window.cell]).collect();
    order.extend(rest);
    let mut seen = Vec::new();
    order.retain(|fleet| {
        let is_new = !seen.contains(fleet);
        seen.push(*fleet);
        is_new
    });
    order
}

/// Returns the blocks of short turns of a fleet in a repeat.
fn blocks(
    cells: &[Cell],
    fleets: &[u32],
    (repeat, fleet): (u32, u32),
    seed: u64,
) -> impl Iterator<Item = TurnBlock> {
    let turns = move |cell: &Cell| match cell.turns {
        Some(turns) if cell.repeats > repeat => turns.count,
        _ => 0,
    };
    let own = (0..cells.len()).filter(|&at| fleets[at] == fleet);
    let own: Vec<(usize, u32)> = own.map(|at| (at, turns(&cells[at]))).collect();
    let most = own.iter().map(|(_, turns)| *turns).max().unwrap_or(0);
    (0..most).map(move |number| {
        let stream = FIRST_STREAM + STREAMS * repeat + 2 * number;
        let left = own.iter().filter(|(_, turns)| *turns > number);
        let mut order: Vec<usize> = left.map(|(at, _)| *at).collect();
        shuffle(&mut order, &mut Stream::Study(stream + 1).rng(seed));
        TurnBlock {
            repeat,
            fleet,
            number,
            cells: order,
            seed: Stream::Study(stream + 2).rng(seed).next_u64(),
        }
    })
}

/// Returns the cells of the full scale of a plan's text.
#[cfg(test)]
fn full_cells(text: &str) -> Vec<Cell> {
    let plan = crate::plan::Plan::read("test.toml", text, &|_| Err(String::new()));
    let plan = plan.unwrap_or_else(|error| panic!("{error}"));
    plan.cells(crate::plan::scale::Scale::Full).to_vec()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn cells(base: &str) -> Vec<Cell> {
        let text = format!(
            r#"
name = "turns"
title = "Turns"
[base]
{base}
[[axis]]
name = "server"
level = [{{ name = "mysql", server = "mysql" }}, {{ name = "mariadb", server = "mariadb" }}]
[[axis]]
name = "binlog"
level = [{{ name = "off", settings.log_bin = false }}, {{ name = "on" }}]
[[axis]]
name = "sync"
level = [
  {{ name = "0", settings.sync_binlog = 0 }},
  {{ name = "1", settings.sync_binlog = 1 }},
  {{ name = "2", settings.sync_binlog = 1000, needs = "60s" }},
]
"#
        );
        full_cells(&text)
    }

    #[test]
    fn each_cell_has_its_windows_and_turns_and_those_that_need_long_windows_have_no_turns() {
        let cells = cells("repeats = 3\nwindows = 2\nturns = 4");
        assert_eq!(cells.len(), 12);
        for living in [1, 2, 4] {
            let mut counts: BTreeMap<usize, (u32, u32)> = BTreeMap::new();
            for step in study_steps(&cells, 7, living) {
                match step {
                    Step::Window(window) => counts.entry(window.cell).or_default().0 += 1,
                    Step::Turns(block) => {
                        for cell in block.cells {
                            counts.entry(cell).or_default().1 += 1;
                        }
                    }
                }
            }
            for (at, cell) in cells.iter().enumerate() {
                let expected = match cell.level("sync") {
                    Some("2") => (3, 0),
                    _ => (2, 12),
                };
                assert_eq!(counts[&at], expected, "{} {living}", cell.key);
                assert_eq!((cell.window_count(), cell.turn_count()), expected);
            }
        }
    }

    #[test]
    fn no_more_servers_run_side_by_side_than_may_and_a_block_has_all_of_them() {
        let cells = cells("turns = 4");
        for (living, blocks) in [(1, 4 * 4 * 3), (2, 2 * 4 * 3), (9, 4 * 3)] {
            let steps = study_steps(&cells, 7, living);
            let turns = steps.iter().filter_map(|step| match step {
                Step::Turns(block) => Some(block),
                Step::Window(_) => None,
            });
            let turns: Vec<&TurnBlock> = turns.collect();
            assert_eq!(turns.len(), blocks, "{living}");
            for block in turns {
                let mut servers: Vec<String> = block.cells.iter().map(|&at| cells[at].server_key()).collect();
                servers.sort();
                servers.dedup();
                assert_eq!(servers.len(), living.min(4), "four servers in all");
            }
        }
    }

    #[test]
    fn without_turns_the_steps_are_the_windows_in_their_order() {
        let cells = cells("repeats = 3");
        let steps = study_steps(&cells, 5, 1);
        let windows = measurement_order(&cells, 5);
        assert_eq!(steps, windows.into_iter().map(Step::Window).collect::<Vec<_>>());
    }

    #[test]
    fn turns_of_a_block_are_in_another_order_in_each_and_share_their_seed() {
        let cells = cells("turns = 20\nrepeats = 2");
        let mut orders = BTreeMap::new();
        let mut seeds: BTreeMap<(u32, u32), u64> = BTreeMap::new();
        for step in study_steps(&cells, 3, 4) {
            if let Step::Turns(block) = step {
                let seed = *seeds.entry((block.repeat, block.number)).or_insert(block.seed);
                assert_eq!(seed, block.seed);
                *orders.entry(block.cells).or_insert(0) += 1;
            }
        }
        assert!(orders.len() > 38, "{} of 40 orders differ", orders.len());
        let mut different: Vec<u64> = seeds.into_values().collect();
        different.sort_unstable();
        different.dedup();
        assert_eq!(different.len(), 40);
    }
}
