//! Programs and files of the kernel that were damaged: they are read or refused.

use std::fs;
use std::io::{Cursor, Write};

use logtrace_common::ProgramFile;
use logtrace_testkit::fuzz::{config, damaged, damaged_text};
use procfs::process::MemoryMaps;
use procfs::{FromBufRead, FromBufReadSI, KernelStats};
use proptest::prelude::*;

use crate::kernel_release::KernelRelease;
use crate::overhead::cpu_times::CpuTimes;
use crate::overhead::misses::misses_in;
use crate::probes::attach_points::placement;
use crate::probes::call_offsets::call_sites;
use crate::probes::commit_calls::{FUNCTIONS, commit_calls};
use crate::probes::entry_offset::cheap_entry;
use crate::probes::probe::Probe;
use crate::probes::program::ProbedProgram;
use crate::probes::table::PROBES;
use crate::stacks::function_names::FunctionNames;
use crate::stacks::mapped_files::{MappedFile, mapped_file};
use crate::stacks::unwind_rows::{RowsOf, unwind_rows};

/// Small programs and libraries of this machine.
const PROGRAMS: [&str; 2] = ["/bin/true", "/lib/x86_64-linux-gnu/libgcc_s.so.1"];

const MAPS: &str = "55d0c8a00000-55d0c8a05000 r-xp 00002000 fe:01 1234 /usr/sbin/mysqld (deleted)\n\
    7f1e5c000000-7f1e5c021000 r-xp 00000000 fe:01 99 /lib/x86_64-linux-gnu/libc.so.6\n\
    7ffd3b1c9000-7ffd3b1ea000 rw-p 00000000 00:00 0 [stack]\n";

const RELEASES: [&str; 3] = ["6.18.0-rc1+deb13-amd64", "5.18.0", "6.1"];

const FDINFO: [&str; 1] = ["pos:\t0\nprog_type:\t5\nrun_cnt:\t0\nrecursion_misses:\t12\n"];

fn programs() -> Vec<Vec<u8>> {
    PROGRAMS.iter().map(|path| fs::read(path).unwrap()).collect()
}

/// Program with these bytes, if it is one.
fn opened(bytes: &[u8]) -> Option<ProgramFile> {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    ProgramFile::new(file).ok()
}

/// File that is mapped from its start on.
fn a_file() -> MappedFile {
    let maps = MemoryMaps::from_buf_read(Cursor::new(MAPS)).unwrap();
    maps.iter().find_map(mapped_file).unwrap()
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn a_program_is_read_or_refused(bytes in damaged(programs()), address in any::<u64>()) {
        let names = PROBES.iter().flat_map(Probe::functions).chain(FUNCTIONS).chain(["main", "_Unwind_"]);
        if let Some(file) = opened(&bytes) && let Ok(program) = ProbedProgram::read(file, names) {
            let calls = commit_calls(&program).unwrap_or_default();
            for probe in PROBES {
                let _ = placement(&program, &calls, probe);
            }
            for function in program.functions("main").into_iter().chain(program.functions("_Unwind_")) {
                let code = program.code(function).unwrap_or_default();
                let _ = cheap_entry(&code, function.address);
                let _ = call_sites(&code, function.address, &[address]);
                let _ = program.file_offset(function.address);
            }
            let _ = program.file_offset(address);
        }
    }

    #[test]
    fn stacks_of_a_program_are_read_or_not(bytes in damaged(programs()), addresses in any::<[u64; 4]>()) {
        if let Some(program) = opened(&bytes) {
            let file = a_file();
            let bias = file.bias(&program).unwrap_or(addresses[0]);
            for of in [RowsOf::AllFiles, RowsOf::FilesWithoutFramePointers] {
                prop_assert!(unwind_rows(&program, of).is_sorted_by_key(|row| row.address));
            }
            let mut names = FunctionNames::default();
            names.add(&file, program, bias);
            for address in addresses.into_iter().chain([file.start, file.start + 0x1000, file.end - 1]) {
                prop_assert!(!names.name(address).is_empty());
            }
        }
    }
}

proptest! {
    #![proptest_config(config(2000))]

    #[test]
    fn code_is_decoded(code in damaged(vec![fs::read(PROGRAMS[0]).unwrap()[0x2000..0x2400].to_vec()]), address in any::<u64>()) {
        let _ = cheap_entry(&code, address);
        let _ = call_sites(&code, address, &[address]);
    }

    #[test]
    fn the_map_of_a_process_is_read_or_refused(text in damaged_text([MAPS])) {
        if let Ok(maps) = MemoryMaps::from_buf_read(Cursor::new(text.as_bytes())) {
            let files: Vec<MappedFile> = maps.iter().filter_map(mapped_file).collect();
            prop_assert!(files.len() <= maps.0.len());
        }
    }

    #[test]
    fn counters_of_the_kernel_are_read_or_refused(
        stat in damaged_text([fs::read_to_string("/proc/stat").unwrap()]),
        info in damaged_text(FDINFO),
        release in damaged_text(RELEASES),
    ) {
        let system = procfs::current_system_info();
        if let Ok(stats) = KernelStats::from_buf_read(Cursor::new(stat.as_bytes()), system) {
            let times = CpuTimes::of(&stats.total);
            prop_assert!((0.0..=1.0).contains(&times.since(CpuTimes::default()).steal_share()));
        }
        let _ = misses_in(&info);
        let _ = KernelRelease::parse(&release);
    }
}
