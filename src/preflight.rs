//! What a run needs of the machine: `logtrace doctor` shows it, `logtrace run` insists on it.

use std::fmt;
use std::path::{self, Path};

use anyhow::bail;
use logtrace_common::Flavor;
use logtrace_server::{FileSystemFacts, Home, ImageKind, ServerUser, find};
use logtrace_tracer::{check_program, requirements};

use crate::exit::with_causes;

/// One thing, and whether it is as needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Check {
    /// What it is.
    pub(crate) name: String,
    /// What was seen.
    pub(crate) seen: String,
    /// What to do about it, when it is not as needed.
    pub(crate) remedy: Option<String>,
    /// Whether a run is impossible without it.
    pub(crate) required: bool,
}

/// Free space that a private server with its data and logs needs at the least.
const LEAST_FREE_BYTES: u64 = 1 << 30;

impl Check {
    /// Whether it is as needed.
    pub(crate) fn is_met(&self) -> bool {
        self.remedy.is_none()
    }

    fn met(name: &str, seen: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            seen: seen.into(),
            remedy: None,
            required: true,
        }
    }

    fn unmet(name: &str, seen: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            seen: seen.into(),
            remedy: Some(remedy.into()),
            required: true,
        }
    }

    fn optional(self) -> Self {
        Self {
            required: false,
            ..self
        }
    }
}

/// "name: seen. remedy", as an error says it.
impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.seen)?;
        self.remedy
            .as_ref()
            .map_or(Ok(()), |remedy| write!(f, ". {remedy}"))
    }
}

/// What tracing needs.
pub(crate) fn tracing() -> Vec<Check> {
    let check = |requirement: logtrace_tracer::Requirement| Check {
        name: requirement.name.into(),
        seen: requirement.seen,
        remedy: requirement.remedy,
        required: true,
    };
    requirements().into_iter().map(check).collect()
}

/// What starting a private server needs, the program of the server aside.
pub(crate) fn private_server(home: &Home) -> Vec<Check> {
    vec![server_user(), free_space(&home.instances)]
}

/// The servers that can be started; at least one is needed.
pub(crate) fn servers() -> Vec<Check> {
    let mut checks: Vec<Check> = [Flavor::MySql, Flavor::MariaDb].into_iter().map(server).collect();
    if checks.iter().any(Check::is_met) {
        checks = checks.into_iter().map(Check::optional).collect();
    }
    checks
}

/// The file systems that `--fs` can make.
pub(crate) fn file_systems() -> Vec<Check> {
    ImageKind::ALL
        .into_iter()
        .map(|kind| file_system(kind).optional())
        .collect()
}

/// What `--fs` needs to make one file system.
pub(crate) fn file_system(kind: ImageKind) -> Check {
    let name = format!("file system {kind}");
    match kind.tool() {
        Ok(tool) => Check::met(&name, format!("made by {}, known to the kernel", tool.display())),
        Err(missing) => Check::unmet(&name, missing.seen, missing.remedy),
    }
}

/// What only building logtrace needs.
pub(crate) fn building() -> Vec<Check> {
    let clang = std::process::Command::new("clang").arg("--version").output();
    let version = clang
        .ok()
        .filter(|output| output.status.success())
        .map(|output| first_line(&output.stdout));
    let check = match version {
        Some(version) => Check::met("clang (to build only)", version),
        None => Check::unmet(
            "clang (to build only)",
            "not found",
            "apt-get install clang libbpf-dev",
        ),
    };
    vec![check.optional()]
}

fn first_line(text: &[u8]) -> String {
    String::from_utf8_lossy(text)
        .lines()
        .next()
        .unwrap_or_default()
        .to_owned()
}

fn server(flavor: Flavor) -> Check {
    let name = flavor.to_string();
    let binary = match find(Some(flavor)) {
        Ok(binary) => binary,
        Err(error) => return Check::unmet(&name, "not found", with_causes(error)),
    };
    let seen = format!("{} at {}", binary.version, binary.path.display());
    match check_program(&binary.path) {
        Ok(()) => Check::met(&name, format!("{seen}, with the symbols that tracing needs")),
        Err(error) => Check::unmet(&name, seen, with_causes(error)),
    }
}

fn server_user() -> Check {
    match ServerUser::choose() {
        Ok(user) => Check::met("server user", user.name),
        Err(error) => Check::unmet("server user", "none", with_causes(error)),
    }
}

fn free_space(base: &Path) -> Check {
    let name = "disk space";
    let base = path::absolute(base).unwrap_or_else(|_| base.to_owned());
    let existing = base
        .ancestors()
        .find(|path| path.exists())
        .unwrap_or(Path::new("/"));
    match FileSystemFacts::of(existing) {
        Ok(facts) if facts.free_bytes >= LEAST_FREE_BYTES => Check::met(
            name,
            format!("{:.1} GB free at {}", gigabytes(facts.free_bytes), base.display()),
        ),
        Ok(facts) => Check::unmet(
            name,
            format!("{:.1} GB free at {}", gigabytes(facts.free_bytes), base.display()),
            format!(
                "free at least {:.1} GB for servers and their logs",
                gigabytes(LEAST_FREE_BYTES)
            ),
        ),
        Err(error) => Check::unmet(name, "unknown", with_causes(error)),
    }
}

fn gigabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e9
}

/// Fails with everything of what is `needed` that is missing, and what to do about it.
pub(crate) fn require(needed: &[Check]) -> anyhow::Result<()> {
    let missing: Vec<String> = needed
        .iter()
        .filter(|check| !check.is_met())
        .map(Check::to_string)
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    bail!(
        "this machine lacks what the run needs (`logtrace doctor` shows all):\n  {}",
        missing.join("\n  ")
    )
}
