//! Rules for stacks of the server at long waits: a table of functions of MySQL and MariaDB and their waits.
//!
//! A stack is read from the innermost frame outwards. Functions that only show how a thread waits (of libc, of mutexes, of
//! events) are skipped. Then the first function in the table decides. Names without parameters end with `*` where all
//! functions with this beginning are meant. Checked with MySQL 8.0 to 9.7 and MariaDB 10.5 to 11.8; where builds hide
//! InnoDB's functions (Debian's MariaDB), the handler's function around them decides, with a less exact wait.

mod pattern;
mod table;
mod timed_waits;
mod waker_role;

use logtrace_events::LOCK_OF_ALL_OBJECTS;

pub use crate::causes::server_rules::pattern::is_named;
use crate::causes::server_rules::table::{RULES, RuleCondition, SKIPPED};
use crate::causes::server_rules::timed_waits::is_in_turns;
pub(crate) use crate::causes::server_rules::waker_role::WakerRole;
use crate::causes::wait::Wait;

/// Meaning of a stack of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ServerReason {
    /// A rule recognises it.
    Known(KnownWait),
    /// No rule recognises it; the innermost function of the server with a name.
    Function(String),
}

/// Wait that a rule recognises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KnownWait {
    pub(crate) wait: Wait,
    /// Part of the thread of the server that ends it, if one does.
    pub(crate) waker: WakerRole,
    /// Whether the thread waits for a set time, again and again.
    pub(crate) is_in_turns: bool,
}

/// Functions of the rules, each with whether a package's build of a current version names it.
pub fn functions_of_rules() -> impl Iterator<Item = (&'static str, bool)> {
    RULES
        .iter()
        .map(|rule| (rule.function, rule.is_named_by_packages))
}

/// Returns the meaning of a stack with these frames (innermost first), or `None` if no function of the server has a name.
pub(crate) fn server_reason(frames: &[String]) -> Option<ServerReason> {
    let names: Vec<&str> = frames.iter().map(String::as_str).collect();
    let inner = names.iter().take_while(|name| is_skipped(name)).count();
    let outer = &names[inner..];
    let known = (0..outer.len()).find_map(|at| wait_at(&names[..inner], outer, at));
    // Whichever function needs it.
    let metadata = names[..inner].iter().any(|name| is_named(name, "MDL_*"));
    let known = known.or(metadata.then_some((Wait::MetadataLock, WakerRole::Held)));
    let known = known.map(|(wait, waker)| KnownWait {
        wait: match wait {
            Wait::MetadataLock if names[..inner].contains(&LOCK_OF_ALL_OBJECTS) => Wait::GlobalReadLock,
            wait => wait,
        },
        waker,
        is_in_turns: is_in_turns(&names),
    });
    known.map(ServerReason::Known).or_else(|| {
        let named = outer
            .iter()
            .find(|name| !has_no_name(name) && !is_skipped(name))?;
        Some(ServerReason::Function((*named).to_owned()))
    })
}

fn wait_at(skipped: &[&str], outer: &[&str], at: usize) -> Option<(Wait, WakerRole)> {
    let rule = RULES.iter().find(|rule| {
        is_named(outer[at], rule.function)
            && match rule.condition {
                RuleCondition::Always => true,
                RuleCondition::Through(function) => {
                    let inside = skipped.iter().chain(&outer[..at]);
                    inside.into_iter().any(|name| is_named(name, function))
                }
                RuleCondition::Under(function) => outer[at + 1..].iter().any(|name| is_named(name, function)),
                RuleCondition::Direct => at == 0,
                RuleCondition::Hidden(function) => {
                    skipped.iter().any(|name| is_named(name, function))
                        && outer[..at].iter().all(|name| has_no_name(name))
                }
            }
    })?;
    Some((rule.wait, rule.waker))
}

/// Returns whether a frame has the name of its file and an address only.
fn has_no_name(frame: &str) -> bool {
    frame.contains("+0x")
}

fn is_skipped(name: &str) -> bool {
    SKIPPED.iter().any(|skipped| is_named(name, skipped))
}

#[cfg(test)]
mod tests;
