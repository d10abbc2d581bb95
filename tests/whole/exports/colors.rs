//! Parts of a report that are shown on demand: colours, and a row for each cause.

use crate::common::{Ran, logtrace};

/// Checks that colours and a row for each cause are shown where they are wanted.
pub(crate) fn assert_colors_and_rows(ran: &Ran) {
    let report = |arguments: &str, variables: &[(&str, &str)]| {
        let mut command = logtrace();
        command.arg("report").arg(ran.file(""));
        command.args(arguments.split_whitespace());
        command.env_remove("NO_COLOR").envs(variables.iter().copied());
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let has_color = |text: &str| text.contains('\u{1b}');
    // By this variable a pipe is treated as a terminal.
    let forced = ("CLICOLOR_FORCE", "1");
    assert!(has_color(&report("--color always", &[])));
    assert!(has_color(&report("", &[forced])));
    for (arguments, variables) in [
        ("", &[][..]),
        ("--color never", &[forced]),
        ("", &[forced, ("NO_COLOR", "1")]),
    ] {
        assert!(
            !has_color(&report(arguments, variables)),
            "{arguments} {variables:?}"
        );
    }
    assert!(!report("", &[]).contains("all commits"));
    for format in ["terminal", "markdown"] {
        assert!(
            report(&format!("--all --format {format}"), &[]).contains("all commits"),
            "{format}"
        );
    }
}
