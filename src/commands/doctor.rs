//! `logtrace doctor`: checks of this machine with their remedies, and removal of what killed runs left.

use std::fmt::Write as _;
use std::io;
use std::path::Path;

use anyhow::Context;
use logtrace_server::{Home, Swept, sweep_stale, sweep_templates};

use super::left_servers::give_back;
use super::print::print;
use crate::cli::doctor::DoctorArgs;
use crate::cli::login::LoginArgs;
use crate::exit::Exit;
use crate::preflight::{self, Check};

/// Shows all checks, and fails if a run with tracing is impossible. With `--clean` removes what killed runs left instead.
pub(crate) fn doctor(arguments: &DoctorArgs) -> anyhow::Result<Exit> {
    match arguments.clean {
        true => clean(&arguments.home.home(), &arguments.login),
        false => show(&arguments.home.home()),
    }
}

fn show(home: &Home) -> anyhow::Result<Exit> {
    let of_trace = preflight::tracing();
    let of_run = [
        vec![preflight::privilege()],
        preflight::servers(home),
        preflight::private_server(home),
        preflight::file_systems(),
        preflight::building(),
    ]
    .concat();
    let mut text = String::new();
    for check in of_trace.iter().chain(&of_run) {
        line(&mut text, check)?;
    }
    let missing_for_trace = missing(&of_trace);
    let missing_for_run = missing_for_trace + missing(&of_run);
    text.push('\n');
    verdict(&mut text, "trace", missing_for_trace)?;
    verdict(&mut text, "run", missing_for_run)?;
    print(&text)?;
    Ok(match missing_for_run {
        0 => Exit::Done,
        _ => Exit::Failed,
    })
}

/// Returns the number of requirements that are not met.
fn missing(checks: &[Check]) -> usize {
    let unmet = checks.iter().filter(|check| check.required && !check.is_met());
    unmet.count()
}

/// Writes whether a command has what it needs.
fn verdict(text: &mut String, command: &str, missing: usize) -> std::fmt::Result {
    match missing {
        0 => writeln!(text, "`logtrace {command}` has everything that it needs."),
        1 => writeln!(text, "1 requirement of `logtrace {command}` is missing."),
        _ => writeln!(
            text,
            "{missing} requirements of `logtrace {command}` are missing."
        ),
    }
}

fn line(text: &mut String, check: &Check) -> std::fmt::Result {
    let mark = match (check.is_met(), check.required) {
        (true, _) => "ok  ",
        (false, true) => "NO  ",
        (false, false) => "-   ",
    };
    writeln!(text, "{mark}{:<24} {}", check.name, check.seen)?;
    check
        .remedy
        .as_ref()
        .map_or(Ok(()), |remedy| writeln!(text, "    {:<24} -> {remedy}", ""))
}

/// Removes what killed runs left, and lists it. Fails if something cannot be removed.
fn clean(home: &Home, login: &LoginArgs) -> anyhow::Result<Exit> {
    let Swept {
        directories,
        settings,
    } = sweep_existing(&home.instances, sweep_stale)?;
    let templates = sweep_existing(&home.templates, sweep_templates)?;
    let mut text = String::new();
    for (path, removed) in &directories {
        match removed {
            Ok(()) => writeln!(text, "removed {}", path.display())?,
            Err(error) => writeln!(text, "NO  cannot remove {}: {error}", path.display())?,
        }
    }
    for path in &templates {
        writeln!(text, "removed {}", path.display())?;
    }
    for (place, done) in &settings {
        match done {
            Ok(()) => writeln!(text, "put back {place}")?,
            Err(error) => writeln!(text, "NO  cannot put back {place}: {error}")?,
        }
    }
    let are_given_back = give_back(home, login, &mut text)?;
    if text.is_empty() {
        text.push_str("Killed runs left nothing behind.\n");
    }
    print(&text)?;
    let mut results = directories
        .iter()
        .map(|(_, result)| result)
        .chain(settings.iter().map(|(_, result)| result));
    match results.all(Result::is_ok) && are_given_back {
        true => Ok(Exit::Done),
        false => Ok(Exit::Failed),
    }
}

/// Returns the result of `sweep`, or nothing if the directory does not exist.
fn sweep_existing<T: Default>(
    directory: &Path,
    sweep: impl FnOnce(&Path) -> io::Result<T>,
) -> anyhow::Result<T> {
    match sweep(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(T::default()),
        swept => swept.with_context(|| format!("cannot look through {}", directory.display())),
    }
}
