//! Change of a global variable, with what undoes it.

use serde::{Deserialize, Serialize};

use crate::settings::global_value::{GlobalValue, literal};
use crate::settings::value_match::has_value;

/// Variable with its value before the run and in the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ChangedVariable {
    pub(crate) name: String,
    pub(crate) old: OldValue,
    /// Value in the run; `None` for a companion, which the server changes by itself when another variable is set.
    pub(crate) new: Option<String>,
}

/// Value before the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum OldValue {
    /// As `SHOW GLOBAL VARIABLES` shows it: in notes of schema 1.
    Shown(String),
    /// As `SELECT @@GLOBAL.name` returns it.
    Read(GlobalValue),
}

impl ChangedVariable {
    /// Returns whether the variable has its old value `now`.
    pub(crate) fn is_undone(&self, now: &GlobalValue) -> bool {
        match &self.old {
            OldValue::Shown(text) => has_value(&self.name, text, &now.to_string()),
            OldValue::Read(value) => value == now,
        }
    }

    /// Writes the old value as SQL.
    pub(crate) fn old_literal(&self) -> String {
        match &self.old {
            OldValue::Shown(text) => literal(text),
            OldValue::Read(value) => value.literal(),
        }
    }
}
