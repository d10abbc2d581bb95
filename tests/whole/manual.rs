//! A man page for each command, and completions that their shells take: as files of packages, and printed one by one.

use std::fs;
use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::common::{logtrace, printed};

/// Writes the manual into a new directory.
fn written() -> TempDir {
    let out = tempfile::tempdir().unwrap();
    let status = logtrace().arg("manual").arg("--out").arg(out.path()).status();
    assert!(status.unwrap().success());
    out
}

/// Returns the help of a command, given as one string.
fn help(command: &str) -> String {
    let arguments = command.split_whitespace().chain(["--help"]);
    let output = logtrace().args(arguments).output().unwrap();
    assert!(output.status.success(), "{command}");
    String::from_utf8(output.stdout).unwrap()
}

/// Returns the subcommands that a help lists.
fn subcommands(help: &str) -> Vec<&str> {
    let list = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    list.take_while(|line| line.starts_with(' '))
        .filter(|line| !line.starts_with("    "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .collect()
}

/// Returns the long options that a help lists.
fn options(help: &str) -> Vec<&str> {
    let starts = help.lines().map(str::trim_start);
    let options = starts
        .filter(|line| line.starts_with('-'))
        .filter_map(|line| line.split([' ', '[', ',']).find(|word| word.starts_with("--")));
    options.collect()
}

/// Returns the text of a man page as a reader sees it.
fn page(directory: &Path, command: &str) -> String {
    let name = format!("{command}.1").trim_start().replace(' ', "-");
    let path = directory.join("man1").join(name);
    let output = Command::new("man")
        .args(["--warnings", "--local-file"])
        .arg(&path)
        .env("MANWIDTH", "500")
        .output()
        .unwrap();
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && complaints.is_empty(),
        "{}: {complaints}",
        path.display()
    );
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn every_command_has_a_page_with_all_of_its_options() {
    let out = written();
    let top = help("");
    let commands = subcommands(&top);
    assert!(commands.len() >= 8, "{commands:?}");
    let mut all: Vec<String> = commands.iter().map(ToString::to_string).collect();
    for command in commands {
        let help = help(command);
        all.extend(subcommands(&help).iter().map(|name| format!("{command} {name}")));
    }
    assert!(all.contains(&"study show".to_owned()), "{all:?}");
    for command in all {
        let text = page(out.path(), &format!("logtrace {command}"));
        for option in options(&help(&command)) {
            assert!(text.contains(option), "{command}: {option} is not in {text}");
        }
    }
    let text = page(out.path(), "logtrace");
    assert!(text.contains("logtrace-trace(1)"), "{text}");
}

#[test]
fn bash_completes_commands_and_options() {
    let out = written();
    let script = "source \"$1/completions/logtrace.bash\"; \
                  COMP_WORDS=(logtrace tr) COMP_CWORD=1; _logtrace logtrace tr logtrace; echo \"${COMPREPLY[@]}\"; \
                  COMP_WORDS=(logtrace trace --so) COMP_CWORD=2; _logtrace logtrace --so trace; echo \"${COMPREPLY[@]}\"";
    let mut bash = Command::new("bash");
    bash.args(["--norc", "-euc", script, "bash"]).arg(out.path());
    let output = bash.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(
        text,
        "trace\n--socket\n",
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    for file in ["_logtrace", "logtrace.fish"] {
        let text = fs::read_to_string(out.path().join("completions").join(file)).unwrap();
        assert!(text.contains("socket"), "{file}");
    }
}

#[test]
fn what_packages_install_is_printed_too() {
    let out = written();
    for (arguments, file) in [
        ("completions bash", "completions/logtrace.bash"),
        ("completions zsh", "completions/_logtrace"),
        ("completions fish", "completions/logtrace.fish"),
        ("man", "man1/logtrace.1"),
        ("man trace", "man1/logtrace-trace.1"),
        ("man study show", "man1/logtrace-study-show.1"),
    ] {
        let text = printed(logtrace().args(arguments.split_whitespace()));
        assert_eq!(
            text,
            fs::read_to_string(out.path().join(file)).unwrap(),
            "{arguments}"
        );
    }
    for (arguments, words) in [("completions csh", "bash"), ("man nothing", "no command")] {
        let refused = logtrace().args(arguments.split_whitespace()).output().unwrap();
        let said = String::from_utf8_lossy(&refused.stderr);
        assert_eq!(refused.status.code(), Some(2), "{arguments}: {said}");
        assert!(said.contains(words), "{arguments}: {said}");
    }
}
