//! Pilot of a study: pairs of equal short turns. Only the noise of the machine makes them differ, so their ratios show which
//! effects the study could see.

use logtrace_driver::Pace;
use logtrace_statistics::{StandardError, variance};

use crate::cell::{Cell, ShortTurns};
use crate::plan::short_turns::MOST_TURNS;
use crate::results::StudyResults;
use crate::results::figure::{Figure, Point, RequestTime};
use crate::results::turn_result::TurnResult;

/// Pairs of each cell.
const PAIRS: u32 = 12;
/// Fewest pairs that show the noise.
const FEWEST: usize = 5;

/// Noise of a cell: how much the ratio of two equal turns scatters.
#[derive(Clone, Debug, PartialEq)]
pub struct TurnNoise {
    /// Name of the cell.
    pub cell: String,
    /// Figure: throughput, or the time of requests where the throughput is chosen.
    pub figure: Figure,
    /// Number of pairs.
    pub pairs: usize,
    /// Standard deviation of the logarithm of a pair's ratio.
    pub deviation: f64,
}

/// Returns the cells of a pilot: the first and the last with short turns of each server, each of them twice in a row.
pub fn pilot_cells(cells: &[Cell]) -> Vec<Cell> {
    let cells: Vec<&Cell> = cells.iter().filter(|cell| cell.turns.is_some()).collect();
    let has_no = |others: &[&Cell], cell: &Cell| others.iter().all(|other| other.server != cell.server);
    let is_chosen = |&at: &usize| has_no(&cells[..at], cells[at]) || has_no(&cells[at + 1..], cells[at]);
    let chosen = (0..cells.len()).filter(is_chosen);
    chosen
        .flat_map(|at| [1, 2].map(|number| twin(cells[at], number)))
        .collect()
}

/// Returns one of the two equal cells.
fn twin(cell: &Cell, number: u32) -> Cell {
    Cell {
        key: format!("{}-{number}", cell.key),
        repeats: 1,
        windows: 0,
        turns: cell.turns.map(|turns| ShortTurns {
            count: PAIRS,
            ..turns
        }),
        ..cell.clone()
    }
}

/// Returns the noise of each pair of cells of a pilot. Cells with too few measured pairs are left out.
pub fn turn_noise(pilot: &[Cell], results: &StudyResults) -> Vec<TurnNoise> {
    let twins = pilot.as_chunks::<2>().0.iter();
    twins
        .filter_map(|twins| noise(&twins[0], &twins[1], results))
        .collect()
}

fn noise(one: &Cell, other: &Cell, results: &StudyResults) -> Option<TurnNoise> {
    let figure = match one.pace {
        Pace::Closed => Figure::Throughput,
        _ => Figure::Requests(RequestTime::Response, Point::Mean),
    };
    let value = |turn: &TurnResult| turn.figures.get(&figure).copied().filter(|value| *value > 0.0);
    let difference = |turn: &TurnResult| {
        let mut others = results.turns(other).iter();
        let other = others.find(|other| other.block == turn.block)?;
        Some((value(turn)? / value(other)?).ln())
    };
    let differences: Vec<f64> = results.turns(one).iter().filter_map(difference).collect();
    let variance = variance(&differences).filter(|_| differences.len() >= FEWEST)?;
    Some(TurnNoise {
        cell: one.key.strip_suffix("-1").unwrap_or(&one.key).to_owned(),
        figure,
        pairs: differences.len(),
        deviation: variance.sqrt(),
    })
}

impl TurnNoise {
    /// Returns the smallest effect, as a share of the baseline, that 8 of 10 studies with so many repeats, and so many turns
    /// in each, would show.
    pub fn visible(&self, repeats: u32, turns: u32) -> f64 {
        let error = StandardError {
            error: self.deviation / f64::from(repeats * turns).sqrt(),
            freedom: f64::from(repeats) - 1.0,
        };
        error.visible().exp_m1()
    }

    /// Returns how many turns in each repeat show this effect, or `None` if no plan may have so many.
    pub fn turns_for(&self, effect: f64, repeats: u32) -> Option<u32> {
        (1..=MOST_TURNS).find(|&turns| self.visible(repeats, turns) <= effect)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::order::full_cells;

    fn cells() -> Vec<Cell> {
        full_cells(
            r#"
name = "pilot"
title = "Pilot"
[base]
turns = 4
repeats = 6
[[axis]]
name = "server"
level = [{ name = "mysql", server = "mysql" }, { name = "mariadb", server = "mariadb" }]
[[axis]]
name = "connections"
level = [
  { name = "1", connections = 1 },
  { name = "8", connections = 8 },
  { name = "32", connections = 32, rate = "100/s" },
  { name = "64", connections = 64, needs = "60s" },
]
"#,
        )
    }

    #[test]
    fn the_first_and_the_last_cell_with_turns_of_each_server_are_measured_twice() {
        let pilot = pilot_cells(&cells());
        let keys: Vec<&str> = pilot.iter().map(|cell| cell.key.as_str()).collect();
        assert_eq!(
            keys,
            [
                "mysql_1-1",
                "mysql_1-2",
                "mysql_32-1",
                "mysql_32-2",
                "mariadb_1-1",
                "mariadb_1-2",
                "mariadb_32-1",
                "mariadb_32-2"
            ]
        );
        for cell in &pilot {
            assert_eq!((cell.window_count(), cell.turn_count()), (0, PAIRS));
        }
        assert_eq!(pilot_cells(&cells()[..1]).len(), 2, "first and last at once");
    }

    #[test]
    fn noise_is_that_of_the_ratios_and_not_of_the_blocks() {
        let pilot = pilot_cells(&cells());
        let mut results = StudyResults::default();
        for block in 0..PAIRS {
            // The machine is twice as fast in each block as in the one before.
            let speed = 100.0 * f64::from(1 << block);
            let ratio = if block % 2 == 0 { 1.1 } else { 1.0 / 1.1 };
            for (cell, value) in pilot[..2].iter().zip([speed * ratio, speed]) {
                let figures = BTreeMap::from([(Figure::Throughput, value)]);
                results.insert_turn(
                    &cell.key,
                    Ok(TurnResult {
                        block,
                        figures,
                        ..TurnResult::default()
                    }),
                );
            }
        }
        let noise = turn_noise(&pilot, &results);
        assert_eq!(noise.len(), 1, "the other cells have no turns");
        assert_eq!((noise[0].cell.as_str(), noise[0].pairs), ("mysql_1", 12));
        let expected = 1.1_f64.ln() * (12.0_f64 / 11.0).sqrt();
        assert!((noise[0].deviation - expected).abs() < 1e-9);
    }

    #[test]
    fn more_turns_show_smaller_effects_and_turns_for_an_effect_show_it() {
        let noise = TurnNoise {
            cell: "mysql_1".to_owned(),
            figure: Figure::Throughput,
            pairs: 12,
            deviation: 0.1,
        };
        assert!(noise.visible(6, 4) > noise.visible(6, 16));
        // 2.571 and 0.920 are the quantiles of Student's distribution with 5 degrees of freedom.
        let expected = ((2.571 + 0.920) * 0.1 / 24.0_f64.sqrt()).exp_m1();
        assert!((noise.visible(6, 4) - expected).abs() < 1e-4);
        let turns = noise.turns_for(0.05, 6).unwrap();
        assert!(noise.visible(6, turns) <= 0.05 && noise.visible(6, turns - 1) > 0.05);
        assert_eq!(noise.turns_for(0.001, 6), None);
        assert_eq!(
            noise.turns_for(0.5, 1),
            None,
            "one repeat shows no spread between repeats"
        );
    }
}
