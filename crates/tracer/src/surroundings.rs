//! Surroundings of this process in which tracing is impossible.

use std::fs;

use crate::error::TracerError;

/// The first PID namespace of a kernel, `PROC_PID_INIT_INO` in include/linux/proc_ns.h.
const FIRST_PID_NAMESPACE: &str = "pid:[4026531836]";

/// Returns an error if process numbers here are not those that the kernel's programs see: no event would be the
/// server's.
pub(crate) fn check_pid_namespace() -> Result<(), TracerError> {
    match own_pid_namespace() {
        PidNamespace::First => Ok(()),
        others => Err(TracerError(format!(
            "processes have other numbers here than the kernel's programs see: {}. {}",
            others.seen(),
            others.remedy()
        ))),
    }
}

/// PID namespace of this process, which decides what numbers of processes mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PidNamespace {
    /// The first one, that of the host: the kernel's programs see its numbers.
    First,
    /// Another one, by its name.
    Another(String),
    /// One that `/proc` does not show, and why not.
    Hidden(String),
}

impl PidNamespace {
    /// Returns what was seen.
    pub(crate) fn seen(&self) -> String {
        match self {
            Self::First => "the host's PID namespace".to_owned(),
            Self::Another(namespace) => format!("logtrace is in a PID namespace of its own ({namespace})"),
            Self::Hidden(error) => {
                format!("/proc does not show logtrace itself, and so not the host's PID namespace ({error})")
            }
        }
    }

    /// Returns what to do.
    pub(crate) fn remedy(&self) -> &'static str {
        match self {
            Self::First => "",
            Self::Another(_) => {
                "Run it in the host's PID namespace: docker run --pid=host, hostPID: true in Kubernetes, or outside of the \
                 container"
            }
            Self::Hidden(_) => {
                "Run it where /proc is of the PID namespace that logtrace is in: not in the mount namespace of a \
                 container alone (nsenter --mount)"
            }
        }
    }
}

/// Returns the PID namespace of this process. `/proc/self` leads nowhere in a `/proc` that was mounted in a
/// PID namespace without this process (`proc_self_get_link`, fs/proc/self.c).
pub(crate) fn own_pid_namespace() -> PidNamespace {
    match fs::read_link("/proc/self/ns/pid") {
        Ok(namespace) if namespace.as_os_str() == FIRST_PID_NAMESPACE => PidNamespace::First,
        Ok(namespace) => PidNamespace::Another(namespace.to_string_lossy().into_owned()),
        Err(error) => PidNamespace::Hidden(error.to_string()),
    }
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
