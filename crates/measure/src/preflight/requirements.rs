//! Requirements of a run on this machine, for `logtrace doctor` and before a run.

use std::fs::File;
use std::path::{self, Path};

use anyhow::bail;
use logtrace_common::Flavor;
use logtrace_server::{FileSystemFacts, Home, ImageKind, ServerUser, brief_output, find};
use logtrace_tracer::{check_program, requirements, tracing_rights};

use crate::errors::with_causes;
use crate::preflight::check::Check;
use crate::preflight::open_files::{self, TooLow};
use crate::preflight::server_rights::server_rights;
use crate::run::RunConfig;

/// Least free space for a private server with its data and logs.
const LEAST_FREE_BYTES: u64 = 1 << 30;

/// Checks the requirements of tracing.
pub fn tracing() -> Vec<Check> {
    let rights = tracing_rights().into_iter().map(Check::right);
    rights
        .chain(requirements().into_iter().map(Check::from))
        .collect()
}

/// Checks whether servers can be started as another user.
pub fn privilege() -> Check {
    let name = "privilege";
    match rustix::process::geteuid() {
        user if user.is_root() => Check::met(name, "running as root"),
        user => Check::unmet(
            name,
            format!("running as user {}", user.as_raw()),
            "run it with sudo: starting a server as another user needs root",
        ),
    }
}

/// Checks the requirements of a private server, except for its program.
pub fn private_server(home: &Home) -> Vec<Check> {
    vec![server_user(home), free_space(&home.instances)]
}

/// Checks the rights with which root starts servers. Another user starts them as itself, and needs none.
pub fn rights_of_root() -> Vec<Check> {
    match rustix::process::geteuid().is_root() {
        true => server_rights(),
        false => Vec::new(),
    }
}

/// Checks the limit on open files for this many connections.
pub fn open_files(connections: usize) -> Check {
    let name = "open files";
    match open_files::too_low(connections) {
        None => Check::met(name, format!("enough for {connections} connections")),
        Some(TooLow { limit, needed }) => Check::unmet(
            name,
            format!("at most {limit}, and {connections} connections need {needed}"),
            format!("raise the limit with `ulimit -n {needed}` before the run, or use fewer --connections"),
        ),
    }
}

/// Checks which servers are installed. At least one is needed.
pub fn servers(home: &Home) -> Vec<Check> {
    let flavors = [Flavor::MySql, Flavor::MariaDb];
    let mut checks: Vec<Check> = flavors.into_iter().map(|flavor| server(flavor, home)).collect();
    if checks.iter().any(Check::is_met) {
        checks = checks.into_iter().map(Check::optional).collect();
    }
    checks
}

/// Checks which file systems `--fs` can make.
pub fn file_systems() -> Vec<Check> {
    ImageKind::all()
        .map(|kind| file_system(kind).optional())
        .collect()
}

/// Checks the requirements of one file system for `--fs`.
pub fn file_system(kind: ImageKind) -> Check {
    let name = format!("file system {kind}");
    match kind.tool() {
        Ok(tool) => Check::met(&name, format!("made by {}, known to the kernel", tool.display())),
        Err(missing) => Check::unmet(&name, missing.seen, missing.remedy),
    }
}

/// Checks the requirements of building logtrace.
pub fn building() -> Vec<Check> {
    let name = "clang (to build only)";
    let clang = ServerUser::choose(None)
        .and_then(|user| brief_output(Path::new("clang"), &["--version"], user.run_as()));
    let check = match clang {
        Ok(output) if output.contains("clang version") => {
            Check::met(name, output.lines().next().unwrap_or_default())
        }
        _ => Check::unmet(name, "not found", "apt-get install clang"),
    };
    vec![check.optional()]
}

fn server(flavor: Flavor, home: &Home) -> Check {
    let name = flavor.to_string();
    let binary = match find(Some(flavor), home) {
        Ok(binary) => binary,
        Err(error) => return Check::unmet(&name, "not found", with_causes(error)),
    };
    let seen = format!("{} at {}", binary.version, binary.path.display());
    match check_program(File::open(&binary.path)) {
        Ok(()) => Check::met(&name, format!("{seen}, with the symbols that tracing needs")),
        Err(error) => Check::unmet(&name, seen, with_causes(error)),
    }
}

fn server_user(home: &Home) -> Check {
    match ServerUser::choose(home.user.as_deref()) {
        Ok(user) => Check::met("server user", user.name),
        Err(error) => Check::unmet("server user", "none", with_causes(error)),
    }
}

fn free_space(base: &Path) -> Check {
    let name = "disk space";
    let base = path::absolute(base).unwrap_or_else(|_| base.to_owned());
    let mut existing = base.ancestors().filter(|path| path.exists());
    let free_bytes = match FileSystemFacts::of(existing.next().unwrap_or(Path::new("/"))) {
        Ok(facts) => facts.free_bytes,
        Err(error) => return Check::unmet(name, "unknown", with_causes(error)),
    };
    let seen = format!("{:.1} GB free at {}", gigabytes(free_bytes), base.display());
    if free_bytes >= LEAST_FREE_BYTES {
        return Check::met(name, seen);
    }
    let least = gigabytes(LEAST_FREE_BYTES);
    Check::unmet(
        name,
        seen,
        format!("free at least {least:.1} GB for servers and their logs"),
    )
}

fn gigabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e9
}

/// Fails with all unmet requirements and their remedies.
pub fn require(needed: &[Check]) -> anyhow::Result<()> {
    let missing: Vec<String> = needed
        .iter()
        .filter(|check| check.required && !check.is_met())
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

/// Fails with all unmet requirements of a run and their remedies.
pub fn check_run(config: &RunConfig) -> anyhow::Result<()> {
    let mut needed = vec![open_files(config.connections.closed().get())];
    if config.trace {
        needed.push(privilege());
        needed.extend(tracing());
    }
    if config.is_private() {
        needed.extend(rights_of_root());
        needed.extend(private_server(&config.home));
        needed.extend(config.storage.image.as_ref().map(|image| file_system(image.kind)));
    }
    require(&needed)
}
