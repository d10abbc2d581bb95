//! bpftrace at the places of logtrace's probes.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::Context;

use logtrace_benchkit::child::Child;
use logtrace_benchkit::with_tracefs::with_tracefs;

/// A script for one server.
#[derive(Debug)]
pub(crate) struct SameProbes {
    server: u32,
    script: String,
}

/// The kernel's places, and what is added up there.
const KERNEL: &str = include_str!("same_probes.bt");

/// A program that bpftrace attached: printed when all probes are there.
const READY: &str = "attached";

impl SameProbes {
    /// Finds the calls in the server's program that bracket a commit; or, where this bpftrace cannot probe inside of a
    /// function, its entry and return.
    pub(crate) fn of_server(server: u32) -> anyhow::Result<Self> {
        let program = fs::read_link(format!("/proc/{server}/exe"))?;
        let symbol = commit_symbol(&program)?;
        let (begin, end) = if probes_inside_functions() {
            let code = code(&program, &symbol)?;
            (
                uprobes(&program, &code, "MDL_context12acquire_lock")?,
                uprobes(&program, &code, "MDL_context12release_lock")?,
            )
        } else {
            let place = format!("{}:{symbol}", program.display());
            (format!("uprobe:{place}"), format!("uretprobe:{place}"))
        };
        let script = format!(
            "{begin} /pid == $1/ {{ @commit[tid] = nsecs; }}\n\
             {end} /@commit[tid]/ {{ @commits = hist(nsecs - @commit[tid]); delete(@commit[tid]); }}\n\
             {KERNEL}"
        );
        Ok(Self { server, script })
    }

    /// Returns when all probes are attached.
    pub(crate) fn attach(&self) -> anyhow::Result<Child> {
        let mut command = with_tracefs("bpftrace");
        command.args(["-e", &self.script, &self.server.to_string()]);
        Child::start(command, |_, told| told.lines().any(|line| line == READY))
    }
}

/// Whether bpftrace was built with the library that tells it where instructions begin. Debian's is not.
pub(crate) fn probes_inside_functions() -> bool {
    let info = Command::new("bpftrace").arg("--info").output();
    info.is_ok_and(|told| String::from_utf8_lossy(&[told.stdout, told.stderr].concat()).contains("bfd: yes"))
}

/// Returns the function in which transactions commit.
fn commit_symbol(program: &Path) -> anyhow::Result<String> {
    let symbols = told(Command::new("nm").arg("-D").arg(program))?;
    let mut words = symbols.split_whitespace();
    let symbol = words.find(|word| word.starts_with("_Z15ha_commit_transP3THD"));
    Ok(symbol.context("the program has no ha_commit_trans")?.into())
}

/// Disassembles a function.
fn code(program: &Path, symbol: &str) -> anyhow::Result<String> {
    let chosen = format!("--disassemble={symbol}");
    told(
        Command::new("objdump")
            .args(["-d", "--no-show-raw-insn", &chosen])
            .arg(program),
    )
}

/// Returns the probes at all calls of a function.
fn uprobes(program: &Path, code: &str, callee: &str) -> anyhow::Result<String> {
    let places: Vec<String> = code
        .lines()
        .filter(|line| line.contains("call") && line.contains(callee))
        .filter_map(|line| line.trim().split_once(':'))
        .map(|(address, _)| format!("uprobe:{}:0x{address}", program.display()))
        .collect();
    anyhow::ensure!(!places.is_empty(), "no call of {callee} in ha_commit_trans");
    Ok(places.join(",\n"))
}

fn told(command: &mut Command) -> anyhow::Result<String> {
    let output = command
        .output()
        .with_context(|| format!("{command:?}: install it with apt-get install binutils"))?;
    anyhow::ensure!(output.status.success(), "{command:?} failed");
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
