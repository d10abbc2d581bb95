//! Causes of the time in which a runnable thread did not run, by the task that had the CPU.

use logtrace_events::CpuWait;

use crate::causes::Wait;

/// Returns the wait between the wake-up and the CPU.
pub(crate) fn run_queue(cpu_wait: CpuWait) -> Wait {
    match cpu_wait {
        CpuWait::Unknown | CpuWait::Server => Wait::RunQueue,
        CpuWait::Idle => Wait::WakeUp,
        CpuWait::LoadGenerator => Wait::RunQueueLoad,
        CpuWait::Logtrace => Wait::RunQueueLogtrace,
        CpuWait::Kernel => Wait::RunQueueKernel,
        CpuWait::Process(_) => Wait::RunQueueProcess,
        CpuWait::Quota => Wait::Throttled,
    }
}
