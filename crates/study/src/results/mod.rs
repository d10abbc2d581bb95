//! Results of measurements: figures, causes, stalls and conditions.

pub(crate) mod conditions;
pub(crate) mod figure;
pub(crate) mod measurement_result;
pub(crate) mod stall_kind;
pub(crate) mod stalls;
pub(crate) mod throughput_curve;
pub(crate) mod turn_result;
pub(crate) mod window_series;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use crate::cell::Cell;
use crate::results::measurement_result::MeasurementResult;
use crate::results::turn_result::TurnResult;

/// Outcomes of measurements, by cell and repeat, and short turns by cell.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StudyResults {
    outcomes: BTreeMap<(String, u32), MeasurementOutcome>,
    turns: BTreeMap<String, Vec<TurnResult>>,
    failed_turns: BTreeMap<String, Vec<String>>,
}

/// Result of a measurement, or the reason why it failed.
pub type MeasurementOutcome = Result<MeasurementResult, String>;

impl StudyResults {
    /// Adds the outcome of a measurement. It replaces an earlier outcome of the same measurement.
    pub fn insert(&mut self, cell: &Cell, repeat: u32, outcome: MeasurementOutcome) {
        self.outcomes.insert((cell.key.clone(), repeat), outcome);
    }

    /// Adds a short turn, or the reason why it failed. Turns are added in the order of time.
    pub fn insert_turn(&mut self, cell: &str, turn: Result<TurnResult, String>) {
        match turn {
            Ok(turn) => self.turns.entry(cell.to_owned()).or_default().push(turn),
            Err(why) => self.failed_turns.entry(cell.to_owned()).or_default().push(why),
        }
    }

    /// Returns the short turns of a cell, in the order of time.
    pub fn turns(&self, cell: &Cell) -> &[TurnResult] {
        self.turns.get(&cell.key).map_or(&[], Vec::as_slice)
    }

    /// Returns why short turns of a cell failed.
    pub fn failed_turns(&self, cell: &Cell) -> &[String] {
        self.failed_turns.get(&cell.key).map_or(&[], Vec::as_slice)
    }

    /// Returns the outcome of a repeat of a cell, or `None` if it was not tried yet.
    pub fn get(&self, cell: &Cell, repeat: u32) -> Option<&MeasurementOutcome> {
        self.outcomes.get(&(cell.key.clone(), repeat))
    }

    /// Returns the measured repeats of a cell, from the first.
    pub fn measured<'a>(&'a self, cell: &'a Cell) -> impl Iterator<Item = (u32, &'a MeasurementResult)> {
        let measured = |repeat| Some((repeat, self.get(cell, repeat)?.as_ref().ok()?));
        (0..cell.repeats).filter_map(measured)
    }

    /// Returns the measured repeats of all these cells.
    pub(crate) fn of_all<'a>(
        &'a self,
        cells: &'a [Cell],
    ) -> impl Iterator<Item = (&'a Cell, u32, &'a MeasurementResult)> {
        let measured = |cell| self.measured(cell).map(move |(repeat, one)| (cell, repeat, one));
        cells.iter().flat_map(measured)
    }

    /// Returns the failed repeats of a cell, from the first, with the reason.
    pub fn failed<'a>(&'a self, cell: &'a Cell) -> impl Iterator<Item = (u32, &'a str)> {
        let failed = |repeat| Some((repeat, self.get(cell, repeat)?.as_ref().err()?.as_str()));
        (0..cell.repeats).filter_map(failed)
    }
}
