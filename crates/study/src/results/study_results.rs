//! What the turns of a study came to, as far as they were measured.

use std::collections::BTreeMap;

use crate::cell::Cell;
use crate::results::turn_result::Measured;

/// The outcomes of turns, by the key of the cell and the repeat.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Results {
    turns: BTreeMap<(String, u32), Outcome>,
}

/// What a turn came to.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// It was measured.
    Measured(Box<Measured>),
    /// It was tried, and this is why it failed.
    Failed(String),
}

impl Results {
    /// Keeps the outcome of a turn, instead of an earlier one of the same turn.
    pub fn insert(&mut self, cell: &Cell, repeat: u32, outcome: Outcome) {
        self.turns.insert((cell.key.clone(), repeat), outcome);
    }

    /// What a repeat of a cell came to; `None` when it was not tried yet.
    pub fn get(&self, cell: &Cell, repeat: u32) -> Option<&Outcome> {
        self.turns.get(&(cell.key.clone(), repeat))
    }

    /// The repeats of a cell that were measured, from the first.
    pub fn measured<'a>(&'a self, cell: &'a Cell) -> impl Iterator<Item = (u32, &'a Measured)> {
        (0..cell.repeats).filter_map(|repeat| match self.get(cell, repeat)? {
            Outcome::Measured(measured) => Some((repeat, measured.as_ref())),
            Outcome::Failed(_) => None,
        })
    }

    /// The repeats of a cell that failed, from the first, and why.
    pub fn failed<'a>(&'a self, cell: &'a Cell) -> impl Iterator<Item = (u32, &'a str)> {
        (0..cell.repeats).filter_map(|repeat| match self.get(cell, repeat)? {
            Outcome::Failed(why) => Some((repeat, why.as_str())),
            Outcome::Measured(_) => None,
        })
    }
}
