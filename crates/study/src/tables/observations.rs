//! Values of a figure that tables draw conclusions from: those of windows, or means of short turns.
//!
//! A repeat is the unit of inference in both cases. The short turns of a repeat follow one another within minutes, so
//! their noise is alike; repeats are further apart, each with servers of its own.

use std::collections::BTreeMap;

use logtrace_statistics::{CellValues, Pair, TurnValue, carry_over, mean};

use crate::cell::Cell;
use crate::plan::table_spec::TableSpec;
use crate::results::StudyResults;
use crate::results::figure::Figure;
use crate::results::turn_result::TurnResult;

/// Returns whether the values of a figure come from short turns: if each turn of the cell has the figure.
pub(crate) fn is_of_turns(figure: &Figure, cell: &Cell, results: &StudyResults) -> bool {
    let turns = results.turns(cell);
    !turns.is_empty() && turns.iter().all(|turn| turn.figures.contains_key(figure))
}

/// Returns the value of each repeat of a cell.
pub(crate) fn values(figure: &Figure, cell: &Cell, results: &StudyResults) -> CellValues {
    if is_of_turns(figure, cell, results) {
        let values = by_repeat(figure, results.turns(cell)).into_values();
        let values: Vec<f64> = values
            .filter_map(|turns| mean(&turns.into_values().collect::<Vec<_>>()))
            .collect();
        let errors = vec![None; values.len()];
        return CellValues { values, errors };
    }
    let measured = results.measured(cell);
    let values = measured.filter_map(|(_, one)| Some((*one.figures.get(figure)?, one.error_of(figure))));
    let (values, errors) = values.unzip();
    CellValues { values, errors }
}

/// Returns the pairs of a cell and its baseline: of the repeats in which both were measured in the same way.
pub(crate) fn pairs(figure: &Figure, cell: &Cell, baseline: &Cell, results: &StudyResults) -> Vec<Pair> {
    if is_of_turns(figure, cell, results) && is_of_turns(figure, baseline, results) {
        return turn_pairs(figure, results.turns(cell), results.turns(baseline));
    }
    let pairs = results.measured(cell).filter_map(|(repeat, measured)| {
        let other = results.get(baseline, repeat)?.as_ref().ok()?;
        let errors = measured.error_of(figure).zip(other.error_of(figure));
        Some(Pair {
            value: *measured.figures.get(figure)?,
            baseline: *other.figures.get(figure)?,
            errors: errors.map(|(one, other)| (one * one, other * other)),
        })
    });
    pairs.collect()
}

/// Returns a pair for each repeat: the means over the blocks in which both cells had a turn.
fn turn_pairs(figure: &Figure, turns: &[TurnResult], baseline: &[TurnResult]) -> Vec<Pair> {
    let baselines = by_repeat(figure, baseline);
    let pairs = by_repeat(figure, turns).into_iter().filter_map(|(repeat, own)| {
        let other = baselines.get(&repeat)?;
        let both = own
            .into_iter()
            .filter_map(|(block, value)| Some((value, *other.get(&block)?)));
        let (values, baselines): (Vec<f64>, Vec<f64>) = both.unzip();
        Some(Pair {
            value: mean(&values)?,
            baseline: mean(&baselines)?,
            errors: None,
        })
    });
    pairs.collect()
}

/// Returns the values of turns by repeat and block.
fn by_repeat(figure: &Figure, turns: &[TurnResult]) -> BTreeMap<u32, BTreeMap<u32, f64>> {
    let mut repeats: BTreeMap<u32, BTreeMap<u32, f64>> = BTreeMap::new();
    for turn in turns {
        let value = turn.figures.get(figure).copied();
        let blocks = repeats.entry(turn.repeat).or_default();
        blocks.extend(value.map(|value| (turn.block, value)));
    }
    repeats
}

/// Returns the probability that the values of a table's short turns differ as much as they do by the level of the cell that
/// was under load just before, if that does not matter. Levels are those of the baseline's axes.
pub(crate) fn carry_over_of(
    spec: &TableSpec,
    all: &[Cell],
    cells: &[&Cell],
    results: &StudyResults,
) -> Option<f64> {
    let mut levels: Vec<Vec<&str>> = Vec::new();
    let mut level_of = |key: &str| {
        let before = all.iter().find(|cell| cell.key == key)?;
        let axes = spec.baseline.iter();
        let level: Option<Vec<&str>> = axes.map(|(axis, _)| before.level(axis)).collect();
        let level = level.filter(|level| !level.is_empty())?;
        let known = levels.iter().position(|known| *known == level);
        Some(known.unwrap_or_else(|| {
            levels.push(level);
            levels.len() - 1
        }))
    };
    let mut values = Vec::new();
    for (at, cell) in cells.iter().enumerate() {
        for turn in results.turns(cell) {
            let value = turn.figures.get(&spec.figure).filter(|value| **value > 0.0);
            if let (Some(value), Some(before)) = (value, turn.before.as_deref().and_then(&mut level_of)) {
                values.push((
                    (turn.repeat, turn.block),
                    TurnValue {
                        block: 0,
                        cell: at,
                        before,
                        value: value.ln(),
                    },
                ));
            }
        }
    }
    let mut blocks: Vec<(u32, u32)> = values.iter().map(|(block, _)| *block).collect();
    blocks.sort_unstable();
    blocks.dedup();
    let values = values.into_iter().map(|(block, value)| TurnValue {
        block: blocks.binary_search(&block).unwrap_or(0),
        ..value
    });
    carry_over(&values.collect::<Vec<_>>())
}
