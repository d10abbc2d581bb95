//! Waiting for a point in time, to the microsecond.

use std::io;
use std::num::NonZeroU64;
use std::os::fd::OwnedFd;

use rustix::thread::set_current_timer_slack;
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, timerfd_create, timerfd_settime,
};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::task::yield_now;

use crate::pacing::wakeup_lead::Lead;
use crate::util::async_fd::watched;
use crate::util::clock::{now_ns, timespec};

/// A timer of the kernel (timerfd) that the runtime waits for together with its sockets.
///
/// tokio's own timer rounds up to whole milliseconds. This one wakes the thread as soon as the kernel can, or as much
/// before the due time as waking takes, and the thread that it wakes is the one that sends.
#[derive(Debug)]
pub(crate) struct Pacer {
    timer: AsyncFd<OwnedFd>,
    /// Where the last microseconds are waited for on the CPU.
    lead: Option<Lead>,
}

/// How the last microseconds before a due time are waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rest {
    /// As the rest of the time: the thread wakes late by what a wake-up takes.
    Asleep,
    /// By asking for the time again and again.
    OnCpu,
}

impl Pacer {
    /// Makes a timer. Call it on the thread and in the runtime that will wait for it.
    pub(crate) fn new(rest: Rest) -> io::Result<Self> {
        no_timer_slack()?;
        let timer = timerfd_create(
            TimerfdClockId::Monotonic,
            TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC,
        )?;
        Ok(Self {
            timer: watched(timer, Interest::READABLE)?,
            lead: (rest == Rest::OnCpu).then(Lead::default),
        })
    }

    /// Waits until `at_ns`; returns at once when that time has come already. Dropping the future stops waiting.
    pub(crate) async fn until(&mut self, at_ns: u64) -> io::Result<()> {
        let wake_ns = at_ns.saturating_sub(self.lead.map_or(0, Lead::ns));
        while now_ns() < wake_ns {
            set_timer(self.timer.get_ref(), wake_ns)?;
            // The readiness may be left over from an earlier time that nobody waited for to the end. Clearing it
            // is enough: the timer is set again before each wait, and setting it resets what there was to read.
            self.timer.readable().await?.clear_ready();
            self.learn(wake_ns);
        }
        while now_ns() < at_ns {
            // The connections go on meanwhile.
            yield_now().await;
        }
        Ok(())
    }

    /// What a wake-up tells, unless it was for nothing.
    fn learn(&mut self, wake_ns: u64) {
        if let (Some(lead), Some(late_ns)) = (&mut self.lead, now_ns().checked_sub(wake_ns)) {
            lead.learn(late_ns);
        }
    }
}

/// Lets the kernel wake this thread on time instead of up to 50 us later to save power.
pub(crate) fn no_timer_slack() -> io::Result<()> {
    Ok(set_current_timer_slack(NonZeroU64::new(1))?)
}

/// Arms a timer for a point in time, once.
pub(crate) fn set_timer(timer: &OwnedFd, at_ns: u64) -> io::Result<()> {
    let once = Itimerspec {
        it_interval: timespec(0),
        // A time of 0 would disarm it.
        it_value: timespec(at_ns.max(1)),
    };
    timerfd_settime(timer, TimerfdTimerFlags::ABSTIME, &once)?;
    Ok(())
}
