//! Attaching of programs to places of the kernel.

use aya::programs::perf_event::{PerfEventConfig, PerfEventScope, SamplePolicy, SoftwareEvent};
use aya::programs::{BtfTracePoint, PerfEvent, ProgramError, TracePoint};
use aya::util::online_cpus;

/// Attached program. Dropping it detaches the program.
pub(crate) type Link = Box<dyn Send>;

/// Attaches a program to the tracepoint for which it was loaded.
pub(crate) fn attach_tracepoint(program: &mut BtfTracePoint) -> Result<Link, ProgramError> {
    let link = program.attach()?;
    Ok(Box::new(program.take_link(link)?))
}

/// Attaches a program to the tracepoint of a system call.
pub(crate) fn attach_system_call(program: &mut TracePoint, event: &str) -> Result<Link, ProgramError> {
    let link = program.attach("syscalls", event)?;
    Ok(Box::new(program.take_link(link)?))
}

/// Attaches a program to the clock of each CPU, with so many interrupts a second.
pub(crate) fn attach_cpu_clocks(program: &mut PerfEvent, frequency: u64) -> Result<Vec<Link>, ProgramError> {
    let clock = PerfEventConfig::Software(SoftwareEvent::CpuClock);
    let attach = |cpu| {
        let scope = PerfEventScope::AllProcessesOneCpu { cpu };
        let link = program.attach(clock, scope, SamplePolicy::Frequency(frequency), false)?;
        Ok(Box::new(program.take_link(link)?) as Link)
    };
    let cpus = online_cpus().map_err(|(_, error)| error)?;
    cpus.into_iter().map(attach).collect()
}
