//! Requirements of a run on this machine, for `logtrace doctor` and before a run.

use std::fs::File;
use std::path::{self, Path};

use anyhow::bail;
use logtrace_common::Flavor;
use logtrace_server::{FileSystemFacts, Home, ImageKind, ServerUser, brief_output, find};
use logtrace_tracer::{check_program, requirements, tracing_rights};

use crate::config::run_config::RunConfig;
use crate::errors::with_causes;
use crate::preflight::check::Check;
use crate::preflight::open_files::{self, TooLow};
use crate::preflight::server_rights::server_rights;

/// Least free space for a private server with its data and logs.
const LEAST_FREE_BYTES: u64 = 1 << 30;

/// Name of the requirement of that space.
const DISK_SPACE: &str = "disk space";

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
    of_limit(connections, open_files::too_low(connections))
}

fn of_limit(connections: usize, too_low: Option<TooLow>) -> Check {
    let name = "open files";
    match too_low {
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
    let base = path::absolute(base).unwrap_or_else(|_| base.to_owned());
    let mut existing = base.ancestors().filter(|path| path.exists());
    match FileSystemFacts::of(existing.next().unwrap_or(Path::new("/"))) {
        Ok(facts) => of_space(facts.free_bytes, &base),
        Err(error) => Check::unmet(DISK_SPACE, "unknown", with_causes(error)),
    }
}

fn of_space(free_bytes: u64, base: &Path) -> Check {
    let seen = format!("{:.1} GB free at {}", gigabytes(free_bytes), base.display());
    if free_bytes >= LEAST_FREE_BYTES {
        return Check::met(DISK_SPACE, seen);
    }
    let least = gigabytes(LEAST_FREE_BYTES);
    Check::unmet(
        DISK_SPACE,
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
    require(&needed(config))
}

/// Checks the requirements of a run.
fn needed(config: &RunConfig) -> Vec<Check> {
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
    needed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::run_config;

    fn names(config: &RunConfig) -> Vec<String> {
        needed(config).into_iter().map(|check| check.name).collect()
    }

    fn has(names: &[String], name: &str) -> bool {
        names.iter().any(|known| known == name)
    }

    #[test]
    fn only_a_private_server_needs_space_and_only_a_trace_needs_root() {
        let mut config = run_config("update_key");
        let traced = names(&config);
        assert!(
            has(&traced, "open files") && has(&traced, "privilege"),
            "{traced:?}"
        );
        assert!(
            has(&traced, "server user") && has(&traced, DISK_SPACE),
            "{traced:?}"
        );
        config.trace = false;
        let untraced = names(&config);
        assert!(
            has(&untraced, DISK_SPACE) && !has(&untraced, "privilege"),
            "{untraced:?}"
        );
        config.server = Some("mysql://root@localhost/".parse().unwrap());
        assert_eq!(names(&config), ["open files"]);
    }

    #[test]
    fn a_server_needs_a_gigabyte() {
        let place = Path::new("/var/lib/logtrace");
        assert!(of_space(LEAST_FREE_BYTES, place).is_met());
        let text = of_space(LEAST_FREE_BYTES - 1, place).to_string();
        assert_eq!(
            text,
            "disk space: 1.1 GB free at /var/lib/logtrace. free at least 1.1 GB for servers and their logs"
        );
        let missing = private_server(&Home::at(Path::new("/proc/no/such/directory")));
        let space = missing.iter().find(|check| check.name == DISK_SPACE).unwrap();
        assert!(
            !space.is_met(),
            "the nearest directory that exists has no space: {space}"
        );
    }

    #[test]
    fn a_low_limit_on_open_files_is_told_with_the_command_that_raises_it() {
        assert!(of_limit(300, None).is_met());
        let too_low = TooLow {
            limit: 300,
            needed: 560,
        };
        let text = of_limit(300, Some(too_low)).to_string();
        for words in [
            "at most 300",
            "300 connections need 560",
            "`ulimit -n 560`",
            "--connections",
        ] {
            assert!(text.contains(words), "{text}");
        }
    }

    #[test]
    fn all_that_is_missing_is_told_at_once_and_what_is_optional_stops_nothing() {
        let met = Check::met("clang", "it is there");
        let missing = |name: &str| Check::unmet(name, "not found", format!("install {name}"));
        require(&[met.clone(), missing("xfs").optional()]).unwrap();
        let needed = [met, missing("ext4"), missing("xfs").optional(), missing("user")];
        let text = require(&needed).unwrap_err().to_string();
        let expected = "this machine lacks what the run needs (`logtrace doctor` shows all):\n  \
                        ext4: not found. install ext4\n  user: not found. install user";
        assert_eq!(text, expected);
    }
}
