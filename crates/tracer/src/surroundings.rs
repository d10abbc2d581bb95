//! Surroundings of this process in which tracing is impossible.

use std::fs;

use crate::error::TracerError;

/// The first PID namespace of a kernel, `PROC_PID_INIT_INO` in include/linux/proc_ns.h.
const FIRST_PID_NAMESPACE: &str = "pid:[4026531836]";

/// Returns an error if process numbers here are not those that the kernel's programs see: no event would be the
/// server's.
pub(crate) fn check_pid_namespace() -> Result<(), TracerError> {
    match foreign_pid_namespace() {
        None => Ok(()),
        Some(seen) => Err(TracerError(format!(
            "logtrace is in a PID namespace of its own ({seen}), where processes have other numbers than the kernel's \
             programs see. {PID_REMEDY}"
        ))),
    }
}

/// Remedy for a PID namespace of one's own.
pub(crate) const PID_REMEDY: &str = "Run it in the host's PID namespace: docker run --pid=host, hostPID: true in Kubernetes, or outside of the container";

/// Returns this process's PID namespace if it is not the first one.
pub(crate) fn foreign_pid_namespace() -> Option<String> {
    let seen = fs::read_link("/proc/self/ns/pid").ok()?;
    let seen = seen.to_string_lossy().into_owned();
    (seen != FIRST_PID_NAMESPACE).then_some(seen)
}

/// Returns an error if the kernel is locked down so far that no program may read its memory.
pub(crate) fn check_lockdown() -> Result<(), TracerError> {
    match is_locked_down() {
        false => Ok(()),
        true => Err(TracerError(format!(
            "the kernel is locked down (confidentiality), and lets no program read its memory. {LOCKDOWN_REMEDY}"
        ))),
    }
}

/// Remedy for lockdown.
pub(crate) const LOCKDOWN_REMEDY: &str = "Boot with lockdown=integrity, which Secure Boot sets, or without; or measure without causes: logtrace run --no-trace";

/// Returns whether lockdown is at the level `confidentiality` (kernel_lockdown(7)).
pub(crate) fn is_locked_down() -> bool {
    fs::read_to_string("/sys/kernel/security/lockdown")
        .is_ok_and(|levels| chosen(&levels) == Some("confidentiality"))
}

/// Returns the level in brackets.
fn chosen(levels: &str) -> Option<&str> {
    levels.split_once('[')?.1.split_once(']').map(|(level, _)| level)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chosen_level_is_in_brackets() {
        assert_eq!(
            chosen("none integrity [confidentiality]\n"),
            Some("confidentiality")
        );
        assert_eq!(chosen("[none] integrity confidentiality"), Some("none"));
        assert_eq!(chosen(""), None);
    }
}
