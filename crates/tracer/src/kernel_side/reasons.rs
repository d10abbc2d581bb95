//! Reasons why the kernel refuses a program or a map, in one line.

use std::error::Error;
use std::iter;

use aya::programs::ProgramError;

/// Lines at the end of the verifier's log that say why it refuses a program.
const REASON_LINES: usize = 2;

/// Returns an error with its causes. Of the verifier's log it has the last lines alone, which have the reason.
pub(crate) fn reason(error: &(dyn Error + 'static)) -> String {
    match error.downcast_ref() {
        Some(ProgramError::LoadError {
            io_error,
            verifier_log,
        }) => match end(&verifier_log.to_string()) {
            log if log.is_empty() => io_error.to_string(),
            log => format!("{io_error} ({log})"),
        },
        Some(_) | None => with_causes(error),
    }
}

/// Returns an error and its causes, without a cause that the text before it names.
fn with_causes(error: &(dyn Error + 'static)) -> String {
    let causes = iter::successors(Some(error), |&error| error.source());
    causes.fold(String::new(), |text, cause| match cause.to_string() {
        cause if text.is_empty() => cause,
        cause if text.contains(&cause) => text,
        cause => format!("{text}: {cause}"),
    })
}

/// Returns the end of a verifier's log.
fn end(log: &str) -> String {
    let is_reason = |line: &&str| !line.is_empty() && !line.starts_with("processed ");
    let lines = log.lines().rev().map(str::trim).filter(is_reason);
    let mut reason: Vec<&str> = lines.take(REASON_LINES).collect();
    reason.reverse();
    reason.join(": ")
}

#[cfg(test)]
mod tests {
    use std::io;

    use aya::maps::MapError;

    use super::*;

    #[test]
    fn the_verifiers_log_is_told_by_its_end() {
        let log = "0: R1=ctx()\n1: (79) r2 = *(u64 *)(r1 +24)\nfunc 'sched_switch' doesn't have 4-th argument\n\
                   processed 2 insns (limit 1000000)\n";
        let refused = ProgramError::LoadError {
            io_error: io::Error::from_raw_os_error(libc::EACCES),
            verifier_log: aya_obj::VerifierLog::new(log.to_owned()),
        };
        assert_eq!(
            reason(&refused),
            "Permission denied (os error 13) (1: (79) r2 = *(u64 *)(r1 +24): func 'sched_switch' doesn't have 4-th \
             argument)"
        );
    }

    #[test]
    fn causes_are_told_once() {
        let refused = MapError::CreateError {
            name: "threads".to_owned(),
            io_error: io::Error::from_raw_os_error(libc::ENOMEM),
        };
        let told = "map error: failed to create map `threads`: Cannot allocate memory (os error 12)";
        assert_eq!(reason(&aya::EbpfError::MapError(refused)), told);
    }
}
