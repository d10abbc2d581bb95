//! Commit time as a tree of at most ten lines: file, call, wait.

mod kinds;
mod largest;
mod lines;
mod node;
mod percents;

pub(crate) use self::kinds::{kind_shares, kinds};
pub(crate) use self::largest::{Largest, largest};
pub(crate) use self::lines::{TreeWait, WIDTH, lines, text};
pub(crate) use self::node::{Node, of_commits};
pub(crate) use self::percents::percent_of;

#[cfg(test)]
mod tests;
