//! One requirement of a command on this machine.

use std::fmt;

use logtrace_tracer::{Requirement, Right};

/// Requirement, and whether it is met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// Name of the requirement.
    pub name: String,
    /// Observed state.
    pub seen: String,
    /// Remedy, or `None` if it is met.
    pub remedy: Option<String>,
    /// Whether a run is impossible without it.
    pub required: bool,
    /// Purpose of a right, or `None` if the requirement is no right.
    pub right_for: Option<&'static str>,
}

impl Check {
    /// Whether the requirement is met.
    pub fn is_met(&self) -> bool {
        self.remedy.is_none()
    }

    /// A requirement that is met.
    pub fn met(name: &str, seen: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            seen: seen.into(),
            remedy: None,
            required: true,
            right_for: None,
        }
    }

    /// A requirement that is not met.
    pub fn unmet(name: &str, seen: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            seen: seen.into(),
            remedy: Some(remedy.into()),
            required: true,
            right_for: None,
        }
    }

    /// Checks a right of this process.
    pub(crate) fn right(right: Right) -> Self {
        let Right {
            name,
            purpose,
            without,
            is_required,
            ..
        } = right;
        let user = rustix::process::geteuid().as_raw();
        let check = match right.is_held() {
            true => Self::met(name, purpose),
            false => Self::unmet(
                name,
                format!("missing (running as user {user}): {purpose}"),
                format!("run it with sudo, or give it {name} (docs/trace.md); without it {without}"),
            ),
        };
        Self {
            required: is_required,
            right_for: Some(purpose),
            ..check
        }
    }

    pub(crate) fn optional(self) -> Self {
        Self {
            required: false,
            ..self
        }
    }
}

/// Writes "name: seen. remedy" for errors.
impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.seen)?;
        self.remedy
            .as_ref()
            .map_or(Ok(()), |remedy| write!(f, ". {remedy}"))
    }
}

impl From<Requirement> for Check {
    fn from(requirement: Requirement) -> Self {
        Self {
            name: requirement.name.into(),
            seen: requirement.seen,
            remedy: requirement.remedy,
            required: requirement.required,
            right_for: None,
        }
    }
}
