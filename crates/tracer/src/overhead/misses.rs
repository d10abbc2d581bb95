//! Events for which the kernel skipped a program.

use std::fs;
use std::os::fd::{AsFd, AsRawFd};

use aya::programs::Program;

/// Returns the number of events for which the kernel skipped a program, because a program was running or a map was in use
/// on that CPU (kernel/trace/bpf_trace.c, `trace_call_bpf()`); 0 before Linux 5.12, and for a program
/// that is not loaded.
pub(crate) fn misses(program: &Program) -> u64 {
    let Ok(descriptor) = program.fd() else { return 0 };
    let path = format!("/proc/self/fdinfo/{}", descriptor.as_fd().as_raw_fd());
    fs::read_to_string(path).map_or(0, |info| misses_in(&info))
}

pub(crate) fn misses_in(info: &str) -> u64 {
    let mut lines = info.lines().filter_map(|line| line.split_once(':'));
    let misses = lines.find(|(name, _)| *name == "recursion_misses");
    misses
        .and_then(|(_, count)| count.trim().parse().ok())
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn misses_are_read_from_the_kernels_text() {
        let info = "pos:\t0\nprog_type:\t5\nrun_cnt:\t0\nrecursion_misses:\t12\nverified_insns:\t9\n";
        assert_eq!(misses_in(info), 12);
        assert_eq!(misses_in("pos:\t0\n"), 0);
    }
}
