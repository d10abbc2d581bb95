//! What a program can leave in the system: processes, mounts, loop devices, BPF programs.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use aya::programs::loaded_programs;
use rustix::process::Signal;

use crate::common::alone;
use crate::home::{Home, LONG};

/// What there was before.
pub(crate) struct Leftovers {
    ownerless: BTreeSet<u32>,
}

impl Leftovers {
    pub(crate) fn before() -> Self {
        Self {
            ownerless: ownerless_programs(),
        }
    }

    /// What is there now that has to do with `directory`, and BPF programs that no process holds.
    pub(crate) fn since(&self, directory: &Path) -> Vec<String> {
        let directory = directory.to_string_lossy();
        let mounts = fs::read_to_string("/proc/self/mounts").unwrap();
        let mounts = mounts.lines().filter(|line| line.contains(&*directory));
        let loops = loop_devices(&directory);
        let programs = ownerless_programs();
        let programs = programs.difference(&self.ownerless);
        processes_with(&directory)
            .map(|process| format!("process {process}"))
            .chain(mounts.map(|mount| format!("mount {mount}")))
            .chain(loops.into_iter().map(|device| format!("loop device {device}")))
            .chain(programs.map(|program| format!("BPF program {program}")))
            .collect()
    }
}

/// Loop devices whose file is, or was, in the directory, with that file.
pub(crate) fn loop_devices(directory: &str) -> Vec<String> {
    let entries = fs::read_dir("/sys/block").unwrap().flatten();
    entries
        .filter_map(|entry| {
            let file = fs::read_to_string(entry.path().join("loop/backing_file")).ok()?;
            file.starts_with(directory)
                .then(|| format!("{} of {}", entry.file_name().to_string_lossy(), file.trim()))
        })
        .collect()
}

/// Processes that name the directory in their command line.
fn processes_with(directory: &str) -> impl Iterator<Item = String> {
    processes().filter(move |process| {
        fs::read(format!("/proc/{process}/cmdline"))
            .is_ok_and(|line| String::from_utf8_lossy(&line).contains(directory))
    })
}

fn processes() -> impl Iterator<Item = String> {
    fs::read_dir("/proc")
        .unwrap()
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name.parse::<u32>().is_ok())
}

/// BPF programs that no process holds by a descriptor of the program or of a link to it.
fn ownerless_programs() -> BTreeSet<u32> {
    // Listed first: a program that is loaded meanwhile has no part in this.
    let loaded: BTreeSet<u32> = loaded_programs().flatten().map(|program| program.id()).collect();
    let held: BTreeSet<u32> = processes().flat_map(|process| held_by(&process)).collect();
    &loaded - &held
}

/// `fdinfo` of a program or link has a line `prog_id:` (proc(5)).
fn held_by(process: &str) -> Vec<u32> {
    fs::read_dir(format!("/proc/{process}/fdinfo"))
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let text = fs::read_to_string(entry.path()).ok()?;
            let id = text.lines().find_map(|line| line.strip_prefix("prog_id:"))?;
            id.trim().parse().ok()
        })
        .collect()
}

#[test]
fn what_a_run_holds_is_seen_while_it_goes() {
    let _alone = alone();
    let home = Home::new();
    let run = home.start(&format!("--server mariadb {LONG}")).measuring();
    let seen = processes_with(&home.path().to_string_lossy()).collect::<Vec<_>>();
    assert!(seen.contains(&run.server().to_string()), "{seen:?}");
    let held = held_by(&run.id().to_string());
    let loaded: BTreeSet<u32> = loaded_programs().flatten().map(|program| program.id()).collect();
    assert!(!held.is_empty() && held.iter().all(|program| loaded.contains(program)));
    run.signal(Signal::INT);
    run.ended().measured();
    home.assert_nothing_left();
}
