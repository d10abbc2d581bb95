//! Memory that the program of a server takes.

use std::fs::{self, OpenOptions};

use logtrace_common::Detail;
use logtrace_tracer::TracerConfig;

use crate::optimised::{compiled, execute, started};
use crate::turn::turn;
use crate::{commits, config_at, held, traced_with};

/// Size of a vendor's program with all debugging information.
const PADDED_BYTES: u64 = 400 << 20;

/// Most memory of this process that a trace adds to what it has.
const MOST_KIB: u64 = 50 << 10;

/// Returns a line of the status of this process, in KiB.
fn status_kib(name: &str) -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let mut lines = status.lines();
    let line = lines.find_map(|line| line.strip_prefix(name)).unwrap();
    line.trim().strip_suffix(" kB").unwrap().parse().unwrap()
}

#[test]
fn a_program_of_400_mib_is_read_in_parts() {
    let _turn = turn();
    let directory = tempfile::tempdir().unwrap();
    let program = compiled(&directory, "-O2");
    let file = OpenOptions::new().write(true).open(&program).unwrap();
    file.set_len(PADDED_BYTES).unwrap();
    drop(file);
    let mut server = started(&program);
    let config = TracerConfig {
        process: held(&server),
        ring_bytes: "64K".parse().unwrap(),
        ..config_at(Detail::Full)
    };
    // The peak begins anew (proc(5)).
    fs::write("/proc/self/clear_refs", "5").unwrap();
    let before = status_kib("VmRSS:");
    let (records, _) = traced_with(config, || execute(&mut server));
    let peak = status_kib("VmHWM:");
    server.wait().unwrap();
    assert_eq!(commits(&records, server.id()).len(), 60);
    assert!(peak < before + MOST_KIB, "{before} KiB, then at most {peak} KiB");
}
