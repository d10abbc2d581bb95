//! Maps that bpftrace printed. Pure.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use thiserror::Error;

/// Entry of a map whose keys are a time and a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stamp {
    /// Nanoseconds of bpftrace's clock.
    pub at_ns: u64,
    /// The thread.
    pub thread: u32,
    /// The entry's value.
    pub value: u64,
}

/// The maps, each in the order of time.
pub type Stamps = BTreeMap<String, Vec<Stamp>>;

/// Why what was printed is not what the scripts here lead to.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Unreadable {
    /// The text is not the JSON of bpftrace.
    #[error("bpftrace printed {0:?}, which is not what it prints with -f json")]
    Line(String),
    /// An entry lacks the time, the thread or the number.
    #[error("a time, a thread and a number were expected of bpftrace, not {0}")]
    Entry(String),
    /// Records were lost, or something else that the scripts do not do.
    #[error("bpftrace printed something of type {0:?}")]
    Type(String),
    /// The map is full, so entries may be missing.
    #[error("bpftrace's map {0} is full")]
    Full(String),
}

/// Reads all that bpftrace printed with `-f json`. A map with `most` entries is full.
pub fn stamps(printed: &str, most: usize) -> Result<Stamps, Unreadable> {
    let mut stamps = Stamps::new();
    for line in printed.lines().filter(|line| !line.is_empty()) {
        let unreadable = || Unreadable::Line(line.chars().take(80).collect());
        let told: Value = serde_json::from_str(line).map_err(|_| unreadable())?;
        match told["type"].as_str().ok_or_else(unreadable)? {
            "map" => {
                for (name, entries) in told["data"].as_object().ok_or_else(unreadable)? {
                    let entries = entries.as_object().ok_or_else(unreadable)?;
                    stamps.insert(name.clone(), in_order(name, entries, most)?);
                }
            }
            "attached_probes" | "printf" => {}
            other => return Err(Unreadable::Type(other.into())),
        }
    }
    Ok(stamps)
}

fn in_order(name: &str, entries: &Map<String, Value>, most: usize) -> Result<Vec<Stamp>, Unreadable> {
    if entries.len() >= most {
        return Err(Unreadable::Full(name.into()));
    }
    let entry = |(key, value): (&String, &Value)| {
        stamp(key, value).ok_or_else(|| Unreadable::Entry(format!("{name}[{key}]: {value}")))
    };
    let mut stamps = entries.iter().map(entry).collect::<Result<Vec<_>, _>>()?;
    stamps.sort_unstable();
    Ok(stamps)
}

fn stamp(key: &str, value: &Value) -> Option<Stamp> {
    let (at, thread) = key.split_once(',')?;
    Some(Stamp {
        at_ns: at.parse().ok()?,
        thread: thread.parse().ok()?,
        value: value.as_u64()?,
    })
}
