//! Rule about a setting of the server: the causes that it governs, and the change that is advised.

use logtrace_attribution::cause::{Cause, Wait, Who};
use logtrace_common::{FileClass, Flavor, units};
use logtrace_events::IoOp;

use crate::document::{Document, Server};

/// Setting that governs some causes.
#[derive(Debug)]
pub(super) struct SettingRule {
    /// Variable under the names of several versions: the first that the server has counts.
    pub(super) variables: &'static [&'static str],
    /// Kind of server; `None` for both.
    pub(super) flavor: Option<Flavor>,
    /// Causes that it governs.
    pub(super) parts: &'static [CausePart],
    /// Change that is advised.
    pub(super) change: SettingChange,
    /// Variables that must have one of these values.
    pub(super) when: &'static [(&'static str, &'static [&'static str])],
    /// Price of the change.
    pub(super) price: &'static str,
    /// Source of what it says: a page of docs/, a section of a server's manual, or a source file of a server.
    pub(super) source: &'static str,
}

/// Part of the causes. What is empty or `None` does not matter.
#[derive(Debug)]
pub(super) struct CausePart {
    pub(super) classes: &'static [FileClass],
    pub(super) op: Option<IoOp>,
    pub(super) waits: &'static [Wait],
    /// Workers of whose time it is not.
    pub(super) not_of: &'static [Who],
}

/// Returns the part with calls on files of these classes (all, if there are none), and these waits in them.
pub(super) const fn call(classes: &'static [FileClass], op: IoOp, waits: &'static [Wait]) -> CausePart {
    CausePart {
        classes,
        op: Some(op),
        waits,
        not_of: &[],
    }
}

/// Returns the part with these waits.
pub(super) const fn waits(waits: &'static [Wait]) -> CausePart {
    CausePart {
        classes: &[],
        op: None,
        waits,
        not_of: &[],
    }
}

/// Change of a variable.
#[derive(Debug)]
pub(super) enum SettingChange {
    /// Another value, if it has one of those (or any, if these are none).
    To(&'static str, &'static [&'static str]),
    /// A larger number of bytes, if it has not the most.
    MoreBytes(u64),
    /// A larger number, if it has not the most.
    More(u64),
    /// Limit in bytes that the value is to have at most, and the same as text.
    AtMost(u64, &'static str),
    /// Number of CPUs, where the value is larger.
    OneForEachCpu,
}

impl CausePart {
    /// Returns whether a cause is in it.
    pub(super) fn has(&self, cause: Cause) -> bool {
        let (class, op) = cause.io.unzip();
        let of_file = self.classes.is_empty() || class.is_some_and(|class| self.classes.contains(&class));
        let of_call = self.op.is_none() || self.op == op;
        let of_wait = self.waits.is_empty() || self.waits.contains(&cause.wait);
        of_file && of_call && of_wait && !self.not_of.contains(&cause.who)
    }
}

impl SettingRule {
    /// Returns whether the setting governs a cause.
    pub(super) fn governs(&self, cause: Cause) -> bool {
        cause.wait != Wait::Unexplained && self.parts.iter().any(|part| part.has(cause))
    }

    /// Returns whether the setting governs a wait, on whatever file.
    pub(super) fn is_about(&self, wait: Wait) -> bool {
        let mut parts = self.parts.iter();
        parts.any(|part| part.classes.is_empty() && part.waits.contains(&wait))
    }

    /// Returns the change, as `sync_binlog=100 (now 1)`; `None` if the server has no such variable, or has it so already.
    pub(super) fn change(&self, document: &Document) -> Option<String> {
        let server = &document.server;
        let is_server = self.flavor.is_none_or(|flavor| flavor == server.flavor);
        let mut conditions = self.when.iter();
        let is_met = conditions.all(|(variable, values)| is_one_of(server, variable, values));
        if !is_server || !is_met {
            return None;
        }
        let mut names = self.variables.iter();
        let (variable, now) = names.find_map(|&name| Some((name, server.settings.get(name)?)))?;
        let cpus = document.host.as_ref().map(|host| host.cpus);
        self.change.text(variable, now, cpus)
    }

    /// Returns the page of docs/ that its claim is from, if it is one.
    pub(super) fn page(&self) -> Option<&'static str> {
        Some(self.source).filter(|source| source.starts_with("docs/"))
    }
}

impl SettingChange {
    fn text(&self, variable: &str, now: &str, cpus: Option<u32>) -> Option<String> {
        let number = || now.parse::<u64>().ok();
        match *self {
            Self::To(value, from) => {
                let is_advised = !now.eq_ignore_ascii_case(value);
                let is_from = from.is_empty() || from.iter().any(|from| now.eq_ignore_ascii_case(from));
                (is_advised && is_from).then(|| format!("{variable}={value} (now {now})"))
            }
            Self::MoreBytes(most) => {
                let bytes = number().filter(|&bytes| bytes < most)?;
                Some(format!("a larger {variable} (now {})", units::size(bytes)))
            }
            Self::More(most) => {
                let count = number().filter(|&count| count < most)?;
                Some(format!("a larger {variable} (now {})", units::count(count)))
            }
            Self::AtMost(most, value) => {
                let bytes = number().filter(|&bytes| bytes > most)?;
                Some(format!("{variable}={value} (now {})", units::size(bytes)))
            }
            Self::OneForEachCpu => {
                let (count, cpus) = (number()?, cpus?);
                (count > u64::from(cpus)).then(|| format!("{variable}={cpus} (now {count})"))
            }
        }
    }
}

/// Returns whether a server has a variable with one of these values.
fn is_one_of(server: &Server, variable: &str, values: &[&str]) -> bool {
    let now = server.settings.get(variable);
    now.is_some_and(|now| values.iter().any(|value| now.eq_ignore_ascii_case(value)))
}
