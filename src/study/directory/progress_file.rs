//! How far a study is: what is kept in its directory besides the turns.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::study::directory::request::Asked;

/// What was asked, what failed, and where the time went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct State {
    /// What was asked.
    pub(crate) asked: Asked,
    /// Turns that could not be measured, the latest try of each.
    pub(crate) failures: Vec<Failure>,
    /// Where the time went, over all times that it was worked on.
    pub(crate) account: Account,
}

/// A turn that could not be measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Failure {
    /// The cell's key.
    pub(crate) cell: String,
    /// Which measurement of it, from 1.
    pub(crate) repeat: u32,
    /// What went wrong.
    pub(crate) error: String,
}

/// Where the time of a study went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Account {
    /// All of it.
    pub(crate) wall: Duration,
    /// In windows.
    pub(crate) measuring: Duration,
    /// Load before windows.
    pub(crate) warming_up: Duration,
    /// Starting and stopping servers, loading and restoring data.
    pub(crate) serving: Duration,
    /// Giving servers their settings, and letting them and the disks come to rest.
    pub(crate) settling: Duration,
    /// Everything else within a turn: connections, tracer, files.
    pub(crate) around: Duration,
    /// Turns that were measured.
    pub(crate) turns: u32,
}

impl State {
    /// Before the first turn.
    pub(crate) fn new(asked: Asked) -> Self {
        Self {
            asked,
            failures: Vec::new(),
            account: Account::default(),
        }
    }

    /// Notes that a turn failed.
    pub(crate) fn fail(&mut self, failure: Failure) {
        self.forget(&failure.cell, failure.repeat);
        self.failures.push(failure);
    }

    /// Why a turn failed when it was tried the last time.
    pub(crate) fn failure(&self, cell: &str, repeat: u32) -> Option<&Failure> {
        let mut failures = self.failures.iter();
        failures.find(|failure| failure.cell == cell && failure.repeat == repeat)
    }

    /// Notes that a turn did not fail.
    pub(crate) fn forget(&mut self, cell: &str, repeat: u32) {
        self.failures
            .retain(|failure| failure.cell != cell || failure.repeat != repeat);
    }
}

impl Account {
    /// The share of the time that was spent in windows, from 0 to 1; 0 of nothing.
    pub(crate) fn measuring_share(&self) -> f64 {
        match self.wall.is_zero() {
            true => 0.0,
            false => self.measuring.as_secs_f64() / self.wall.as_secs_f64(),
        }
    }
}
