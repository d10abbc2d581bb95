//! Clocks of CPUs, as events that programs can run at.

use std::io;
use std::os::fd::{FromRawFd, OwnedFd};

use libbpf_rs::libbpf_sys::{
    PERF_COUNT_SW_CPU_CLOCK, PERF_FLAG_FD_CLOEXEC, PERF_TYPE_SOFTWARE, perf_event_attr,
};

/// Opens the clock of a CPU with so many interrupts a second.
pub(crate) fn cpu_clock(cpu: u32, frequency: u64) -> io::Result<OwnedFd> {
    let mut attributes = perf_event_attr {
        type_: PERF_TYPE_SOFTWARE,
        size: u32::try_from(size_of::<perf_event_attr>()).unwrap_or_default(),
        config: u64::from(PERF_COUNT_SW_CPU_CLOCK),
        ..perf_event_attr::default()
    };
    attributes.__bindgen_anon_1.sample_freq = frequency;
    attributes.set_freq(1);
    let (every_process, no_group) = (-1, -1);
    let cpu = libc::c_int::try_from(cpu).map_err(io::Error::other)?;
    #[expect(unsafe_code, reason = "libc has no function for this system call")]
    // SAFETY: the attributes live until the call returns and say their size; the result is a new descriptor or an error.
    unsafe {
        let descriptor = libc::syscall(
            libc::SYS_perf_event_open,
            &raw const attributes,
            every_process,
            cpu,
            no_group,
            libc::c_ulong::from(PERF_FLAG_FD_CLOEXEC),
        );
        match libc::c_int::try_from(descriptor) {
            Ok(descriptor) if descriptor >= 0 => Ok(OwnedFd::from_raw_fd(descriptor)),
            _ => Err(io::Error::last_os_error()),
        }
    }
}
