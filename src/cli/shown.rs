//! Options for the output of a measurement: the report on the standard output, and its progress on stderr.

use clap::Args;
use logtrace_measure::say;
use logtrace_report::render::Format;

/// Format of the report, and the progress.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct ShownArgs {
    /// Format of the report on the standard output: terminal, markdown or json. The run directory has the page and run.json
    /// anyway, and `logtrace report` makes all other formats.
    #[arg(long, value_name = "FORMAT", default_value_t = Format::Terminal, value_parser = format)]
    format: Format,

    /// Show a row for each cause, too, in the formats terminal and markdown.
    #[arg(long)]
    all: bool,

    #[command(flatten)]
    pub(crate) quiet: QuietArgs,
}

impl ShownArgs {
    /// Returns the format, and whether the report has a row for each cause.
    pub(crate) fn format(self) -> (Format, bool) {
        (self.format, self.all)
    }
}

/// Progress.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct QuietArgs {
    /// Write no progress to stderr. Errors are written, and what a killed run left.
    #[arg(long)]
    quiet: bool,
}

impl QuietArgs {
    /// Leaves out the progress from now on, if that is wanted.
    pub(crate) fn apply(self) {
        if self.quiet {
            say::no_progress();
        }
    }
}

fn format(name: &str) -> Result<Format, String> {
    match name.parse() {
        Ok(format @ (Format::Terminal | Format::Markdown | Format::Json)) => Ok(format),
        _ => Err("give terminal, markdown or json; `logtrace report` makes other formats".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_formats_are_printed() {
        assert_eq!(format("json"), Ok(Format::Json));
        assert_eq!(format("markdown"), Ok(Format::Markdown));
        for name in ["html", "perfetto", "nothing"] {
            assert!(format(name).unwrap_err().contains("logtrace report"), "{name}");
        }
    }
}
