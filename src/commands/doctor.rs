//! `logtrace doctor`: what works on this machine, what does not, and what to do.

use std::fmt::Write as _;

use logtrace_server::Home;

use super::clean::clean;
use super::print;
use crate::cli::doctor::DoctorArgs;
use crate::exit::Exit;
use crate::preflight::{self, Check};

/// Shows every check, and fails when a run with tracing is impossible; or removes what killed runs left.
pub(crate) fn doctor(arguments: &DoctorArgs) -> anyhow::Result<Exit> {
    match arguments.clean {
        true => clean(&arguments.home.home()),
        false => show(&arguments.home.home()),
    }
}

fn show(home: &Home) -> anyhow::Result<Exit> {
    let checks = [
        preflight::tracing(),
        preflight::servers(),
        preflight::private_server(home),
        preflight::file_systems(),
        preflight::building(),
    ]
    .concat();
    let mut text = String::new();
    for check in &checks {
        line(&mut text, check)?;
    }
    let missing = checks
        .iter()
        .filter(|check| check.required && !check.is_met())
        .count();
    match missing {
        0 => text.push_str("\nEverything that `logtrace run` needs is there.\n"),
        1 => text.push_str("\n1 thing that `logtrace run` needs is missing.\n"),
        _ => writeln!(text, "\n{missing} things that `logtrace run` needs are missing.")?,
    }
    print(&text)?;
    Ok(if missing == 0 { Exit::Done } else { Exit::Failed })
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
