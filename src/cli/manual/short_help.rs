//! Two lengths of help: `-h` has a sentence for each option, `--help` and the man pages have all.

use clap::builder::StyledStr;
use clap::{Arg, Command};

/// Gives each option of a program the first sentence of its text for `-h`. The other sentences are in `--help` alone.
///
/// The sentences stand in one paragraph where the option is declared, as all documentation here does: clap would need a
/// paragraph for the first one.
pub(crate) fn with_short_help(program: Command) -> Command {
    program.mut_args(shortened).mut_subcommands(with_short_help)
}

fn shortened(option: Arg) -> Arg {
    let long = option
        .get_long_help()
        .or(option.get_help())
        .map(StyledStr::to_string);
    match long {
        Some(long) => {
            let short = first_sentence(&long).to_owned();
            option.help(short).long_help(long)
        }
        None => option,
    }
}

/// Returns the first sentence of a text, without its full stop.
fn first_sentence(text: &str) -> &str {
    let paragraph = text.split("\n\n").next().unwrap_or_default();
    let (sentence, _) = paragraph.split_once(". ").unwrap_or((paragraph, ""));
    sentence.trim_end().trim_end_matches('.')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Cli;

    #[test]
    fn the_first_sentence_is_the_short_help() {
        for (text, short) in [
            ("Number of tables [default: 4]", "Number of tables [default: 4]"),
            ("Keep them. The next run uses them", "Keep them"),
            ("Level of detail. commit: the threads", "Level of detail"),
            ("sysbench 1.0's default. More", "sysbench 1.0's default"),
            ("Output format.\n\nOne of", "Output format"),
        ] {
            assert_eq!(first_sentence(text), short, "{text}");
        }
    }

    /// The help of a command as a user sees it.
    fn help(command: &str, option: &str) -> String {
        let words = ["logtrace", command, option];
        Cli::definition()
            .try_get_matches_from(words)
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn the_short_help_is_short_and_the_long_one_has_all() {
        for command in ["run", "trace", "report", "compare", "study"] {
            let (short, long) = (help(command, "-h"), help(command, "--help"));
            assert!(
                short.lines().count() * 2 < long.lines().count(),
                "{command}: {short}"
            );
            assert!(
                !short.contains("Examples:") && long.contains("Examples:"),
                "{command}"
            );
            assert!(short.contains("see more with '--help'"), "{command}: {short}");
            assert!(
                short.lines().all(|line| line.chars().count() <= 100),
                "{command}: {short}"
            );
        }
        let (short, long) = (help("run", "-h"), help("run", "--help"));
        assert!(
            short.contains("--keep-tables") && !short.contains("The next run with the same"),
            "{short}"
        );
        assert!(long.contains("The next run with the same"), "{long}");
    }
}
