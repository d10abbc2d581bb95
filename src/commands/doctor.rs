//! `logtrace doctor`: checks of this machine with their remedies, and removal of what killed runs left.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io;
use std::path::Path;

use anyhow::Context;
use logtrace_common::inert;
use logtrace_measure::preflight;
use logtrace_measure::preflight::{Check, server_rights};
use logtrace_server::{Home, Swept, sweep_stale, sweep_templates};
use rustix::process::geteuid;
use serde_json::{Map, Value, json};

use super::left_servers::{Passwords, give_back};
use super::print::print;
use crate::cli::doctor::DoctorArgs;
use crate::exit::Exit;

/// Shows all checks, and fails if a run with tracing is impossible. With `--clean` removes what killed runs left instead.
pub(crate) fn doctor(arguments: &DoctorArgs) -> anyhow::Result<Exit> {
    match arguments.clean {
        true => clean(arguments),
        false => show(&arguments.home.home(), arguments.json),
    }
}

fn show(home: &Home, is_json: bool) -> anyhow::Result<Exit> {
    let of_trace = preflight::tracing();
    let of_servers = [
        vec![preflight::privilege()],
        server_rights(),
        preflight::private_server(home),
        preflight::servers(home),
        preflight::file_systems(),
        preflight::building(),
    ]
    .concat();
    let all = [of_trace.clone(), of_servers].concat();
    // What each command needs.
    let commands = [("trace", &of_trace), ("run", &all), ("study", &all)];
    match is_json {
        true => print(&json(&all, commands)?)?,
        false => print(&text(&all, commands, geteuid().is_root())?)?,
    }
    Ok(match missing(&all).is_empty() {
        true => Exit::Done,
        false => Exit::Failed,
    })
}

/// Commands and the checks of what they need.
type Commands<'a> = [(&'static str, &'a Vec<Check>); 3];

/// Returns the checks for a person.
fn text(all: &[Check], commands: Commands<'_>, is_root: bool) -> Result<String, std::fmt::Error> {
    let mut text = String::new();
    if !is_root && rights(all).any(|(check, _)| !check.is_met()) {
        text.push_str(
            "Run it with sudo: `sudo logtrace doctor`. This is what there is without the rights of root.\n\n",
        );
    }
    for check in all {
        line(&mut text, check)?;
    }
    text.push('\n');
    for (command, checks) in commands {
        verdict(&mut text, command, checks)?;
    }
    text.push_str("The other commands need no rights, but `doctor --clean` those of the runs that it cleans up after.\n");
    Ok(text)
}

/// Returns the checks for a script.
fn json(all: &[Check], commands: Commands<'_>) -> anyhow::Result<String> {
    let check = |check: &Check| {
        json!({
            "name": check.name,
            "met": check.is_met(),
            "required": check.required,
            "seen": check.seen,
            "remedy": check.remedy,
            "right_for": check.right_for,
        })
    };
    let command = |(name, checks): (&str, &Vec<Check>)| {
        let missing: Vec<&str> = missing(checks).iter().map(|check| check.name.as_str()).collect();
        (
            name.to_owned(),
            json!({ "ready": missing.is_empty(), "missing": missing }),
        )
    };
    let document = json!({
        "commands": commands.map(command).into_iter().collect::<Map<String, Value>>(),
        "checks": all.iter().map(check).collect::<Vec<_>>(),
    });
    Ok(inert::json(&serde_json::to_string_pretty(&document)?) + "\n")
}

/// Returns the requirements that are not met.
fn missing(checks: &[Check]) -> Vec<&Check> {
    let unmet = checks.iter().filter(|check| check.required && !check.is_met());
    unmet.collect()
}

/// Writes whether a command has what it needs, and the rights that it has and lacks.
fn verdict(text: &mut String, command: &str, checks: &[Check]) -> std::fmt::Result {
    let missing = missing(checks);
    let names = missing.iter().map(|check| check.name.as_str());
    let names = names.collect::<Vec<_>>().join(", ");
    match missing.len() {
        0 => writeln!(text, "`logtrace {command}` has everything that it needs.")?,
        1 => writeln!(text, "1 requirement of `logtrace {command}` is missing: {names}.")?,
        count => writeln!(
            text,
            "{count} requirements of `logtrace {command}` are missing: {names}."
        )?,
    }
    let held = rights(checks).filter(|(check, _)| check.is_met());
    let held: BTreeSet<&str> = held.map(|(check, _)| check.name.as_str()).collect();
    let held = match held.is_empty() {
        true => "no rights".to_owned(),
        false => held.into_iter().collect::<Vec<_>>().join(", "),
    };
    writeln!(text, "    has {held}")?;
    for (check, purpose) in rights(checks).filter(|(check, _)| !check.is_met()) {
        let need = if check.required { "required" } else { "optional" };
        writeln!(text, "    lacks {} ({need}): {purpose}", check.name)?;
    }
    Ok(())
}

/// Returns the checks of rights, each with what the right is for.
fn rights(checks: &[Check]) -> impl Iterator<Item = (&Check, &'static str)> {
    checks.iter().filter_map(|check| Some((check, check.right_for?)))
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
fn clean(arguments: &DoctorArgs) -> anyhow::Result<Exit> {
    let home = &arguments.home.home();
    let passwords = Passwords::of(arguments)?;
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
    let are_given_back = give_back(home, &passwords, &mut text)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    fn right(name: &str, is_met: bool, required: bool) -> Check {
        let remedy = (!is_met).then(|| "run it with sudo".to_owned());
        Check {
            remedy,
            required,
            right_for: Some("does something"),
            ..Check::met(name, "seen")
        }
    }

    #[test]
    fn a_verdict_names_what_is_missing_and_the_rights_of_the_command() {
        let checks = [
            right("CAP_BPF", true, true),
            right("CAP_BPF", true, false),
            right("CAP_KILL", false, true),
            right("CAP_SYS_NICE", false, false),
            Check::unmet("MySQL", "not found", "install it"),
            Check::met("clang", "found"),
        ];
        let mut text = String::new();
        verdict(&mut text, "run", &checks).unwrap();
        let expected = "\
2 requirements of `logtrace run` are missing: CAP_KILL, MySQL.
    has CAP_BPF
    lacks CAP_KILL (required): does something
    lacks CAP_SYS_NICE (optional): does something
";
        assert_eq!(text, expected);
    }

    #[test]
    fn a_command_without_rights_says_so() {
        let mut text = String::new();
        verdict(&mut text, "trace", &[right("CAP_BPF", false, true)]).unwrap();
        assert!(
            text.contains("1 requirement of `logtrace trace` is missing: CAP_BPF."),
            "{text}"
        );
        assert!(text.contains("has no rights"), "{text}");
    }

    #[test]
    fn without_root_the_first_words_are_what_to_type() {
        let lacking = vec![right("CAP_BPF", false, true)];
        let has = vec![right("CAP_BPF", true, true)];
        let of = |checks: &Vec<Check>, is_root| text(checks, [("trace", checks); 3], is_root).unwrap();
        assert!(of(&lacking, false).starts_with("Run it with sudo: `sudo logtrace doctor`."));
        assert!(
            of(&lacking, true).starts_with("NO  CAP_BPF"),
            "sudo gives root no more"
        );
        assert!(of(&has, false).starts_with("ok  CAP_BPF"));
    }

    #[test]
    fn the_json_has_each_check_and_what_each_command_lacks() {
        let all = vec![
            right("CAP_BPF", true, true),
            Check::unmet("MySQL", "not\x1b found", "install it"),
        ];
        let of_trace = vec![all[0].clone()];
        let text = json(&all, [("trace", &of_trace), ("run", &all), ("study", &all)]).unwrap();
        assert!(!text.contains('\x1b'));
        let document: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(
            document["commands"]["trace"],
            json!({ "ready": true, "missing": [] })
        );
        assert_eq!(
            document["commands"]["run"],
            json!({ "ready": false, "missing": ["MySQL"] })
        );
        assert_eq!(document["checks"][1]["remedy"], "install it");
        assert_eq!(document["checks"][0]["right_for"], "does something");
    }
}
