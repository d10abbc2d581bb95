//! bpftrace at work on a client of a server.

use std::fs;
use std::process::Command;

use anyhow::Context;

use super::stamps::{Stamps, stamps};
use crate::child::Child;
use crate::with_tracefs::with_tracefs;

/// The statements that a process sends.
const SENDS: &str = include_str!("sends.bt");

/// Script that observes the sleeps of sysbench's generator.
const GENERATOR: &str = include_str!("generator.bt");

/// Probes are attached in the order of the script: when this is printed, the others are there.
const READY: &str = r#"interval:ms:20 /!@told/ { printf("attached\n"); @told = 1; } END { clear(@told); }"#;

/// bpftrace, attached to this process. All that it sees stays in the kernel until it leaves: nothing wakes it.
#[derive(Debug)]
pub(crate) struct LagTracing {
    child: Child,
    most: usize,
}

impl LagTracing {
    /// Returns when it sees the statements that this process sends, of which there may be fewer than `most`.
    pub(crate) fn own_sends(most: usize) -> anyhow::Result<Self> {
        let own = std::process::id().to_string();
        let mut command = bpftrace(&(SENDS.replace("TRACED", &own) + READY), most);
        command.args(["-f", "json"]);
        let child = Child::start(command, |_, told| told.contains(r"attached\n"))?;
        Ok(Self { child, most })
    }

    /// Stops, and returns what was observed.
    pub(crate) fn ended(mut self) -> anyhow::Result<Stamps> {
        self.child.check()?;
        Ok(stamps(&self.child.leave()?, self.most)?)
    }
}

/// Runs sysbench with bpftrace attached from its first instruction to its end. Returns what sysbench told, and what was
/// seen of it, of which there may be fewer than `most`.
pub(crate) fn traced_sysbench(words: &[String], most: usize) -> anyhow::Result<(String, Stamps)> {
    let dir = tempfile::tempdir()?;
    let seen = dir.path().join("seen");
    let script = format!("{SENDS}{GENERATOR}").replace("TRACED", "cpid");
    let output = bpftrace(&script, most)
        .args(["-f", "json", "-o"])
        .arg(&seen)
        // bpftrace finds a program that is linked to twice in PATH, and refuses.
        .args(["-c", &format!("/usr/bin/env {}", words.join(" "))])
        .output()
        .context("cannot start bpftrace; scripts/setup --tests installs it")?;
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    anyhow::ensure!(
        output.status.success(),
        "bpftrace failed: {told}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let printed = fs::read_to_string(&seen).context("cannot read what bpftrace printed")?;
    Ok((told, stamps(&printed, most)?))
}

fn bpftrace(script: &str, most: usize) -> Command {
    let mut command = with_tracefs("bpftrace");
    command
        .env("BPFTRACE_MAP_KEYS_MAX", most.to_string())
        .args(["-q", "-e", script]);
    command
}
