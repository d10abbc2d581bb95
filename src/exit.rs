//! Exit codes.

use std::process::ExitCode;

pub(crate) use logtrace_measure::errors::{UsageError, with_causes};
use logtrace_report::document::Document;

/// End of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Measured, or done.
    Done = 0,
    /// Could not measure.
    Failed = 1,
    /// Wrong usage; clap uses the same code.
    Usage = 2,
    /// Measured, but the caveats say that the numbers are degraded.
    Degraded = 3,
}

impl Exit {
    /// Returns the end of a measurement.
    pub(crate) fn of(measured: &Document) -> Self {
        match measured.is_degraded() {
            true => Self::Degraded,
            false => Self::Done,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

#[cfg(test)]
mod tests {
    use logtrace_report::document::{Caveat, CaveatKind};
    use serde_json::json;

    use super::*;

    fn with(caveats: &[Caveat]) -> Document {
        let document = json!({
            "schema": 2, "started": "2026-01-01T12:00:00+01:00", "workload": null, "driver": null, "trace": null,
            "server": {
                "flavor": "mysql", "version": "9.7.4", "private": true, "binary": null, "file_system": "ext4",
                "device": "/dev/vda1", "settings": {},
            },
            "commits": null, "causes": [], "unexplained": 0, "files": null, "tracer": null, "unclassified": [],
            "caveats": caveats,
        });
        serde_json::from_value(document).unwrap()
    }

    #[test]
    fn a_caveat_that_degrades_a_measurement_is_the_exit_code_3() {
        let code = |kinds: &[CaveatKind]| {
            let caveats = kinds.iter().map(|kind| kind.clone().caveat("told"));
            Exit::of(&with(&caveats.collect::<Vec<_>>())) as u8
        };
        assert_eq!(code(&[]), 0);
        assert_eq!(code(&[CaveatKind::CpuTaken, CaveatKind::Interrupted]), 0);
        assert_eq!(code(&[CaveatKind::CpuTaken, CaveatKind::LostRecords]), 3);
        assert_eq!(code(&[CaveatKind::Other("of_a_later_version".to_owned())]), 0);
    }
}
