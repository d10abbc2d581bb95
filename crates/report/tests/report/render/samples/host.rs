//! Machine of the samples.

use logtrace_report::document::{Cpu, CpuColumns, Disk, Host};

/// CPU time of 30 s: 0.3 CPUs of the server, 0.5 in all.
pub(crate) fn cpu() -> Cpu {
    let columns = |ns: u64| CpuColumns {
        total: 300 * ns,
        columns: vec![ns; 300],
    };
    Cpu {
        column_ns: 100_000_000,
        server: columns(30_000_000),
        machine: Some(columns(50_000_000)),
    }
}

pub(crate) fn host() -> Host {
    Host {
        kernel: "6.18.5".to_owned(),
        cpu_model: "Example CPU 3.0 GHz".to_owned(),
        cpus: 2,
        memory_bytes: 25_769_803_776,
        disks: vec![Disk {
            name: "vda".to_owned(),
            number: "254:0".to_owned(),
            leg_of: None,
            scheduler: "mq-deadline".to_owned(),
            write_cache: "write back".to_owned(),
            fua: false,
            rotational: false,
            hardware_queues: 1,
        }],
    }
}
