//! `logtrace doctor --clean`: what killed runs left, and nothing else, goes.

use std::fmt::Write as _;
use std::io;
use std::path::Path;

use anyhow::Context;
use logtrace_server::{Home, Swept, sweep_stale, sweep_templates};

use super::print;
use crate::exit::Exit;

/// Removes it and tells what; fails when something stays.
pub(crate) fn clean(home: &Home) -> anyhow::Result<Exit> {
    let Swept {
        removed,
        failed,
        queues,
        queues_failed,
    } = where_there_is(&home.instances, sweep_stale)?;
    let templates = where_there_is(&home.templates, sweep_templates)?;
    let mut text = String::new();
    for path in removed.iter().chain(&templates) {
        writeln!(text, "removed {}", path.display())?;
    }
    for disk in &queues {
        writeln!(text, "put back the queue of {disk}")?;
    }
    for (path, error) in &failed {
        writeln!(text, "NO  cannot remove {}: {error}", path.display())?;
    }
    for (disk, error) in &queues_failed {
        writeln!(text, "NO  cannot put back the queue of {disk}: {error}")?;
    }
    if text.is_empty() {
        text.push_str("Nothing is left of killed runs.\n");
    }
    print(&text)?;
    match failed.is_empty() && queues_failed.is_empty() {
        true => Ok(Exit::Done),
        false => Ok(Exit::Failed),
    }
}

/// A directory that is not there holds nothing.
fn where_there_is<T: Default>(
    directory: &Path,
    sweep: impl FnOnce(&Path) -> io::Result<T>,
) -> anyhow::Result<T> {
    match sweep(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(T::default()),
        swept => swept.with_context(|| format!("cannot look through {}", directory.display())),
    }
}
