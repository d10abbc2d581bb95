//! Sleeping until a request is due, and measuring how late this machine wakes up.

pub(crate) mod lateness;
pub(crate) mod self_test;
pub(crate) mod self_test_table;
pub(crate) mod wakeup_lead;

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

use crate::pacing::wakeup_lead::WakeupLead;
use crate::util::clock::{now_ns, timespec};
use crate::util::register;

/// Kernel timer (timerfd) that the runtime waits for together with its sockets.
///
/// tokio's own timer rounds up to whole milliseconds. This one wakes the thread that sends as soon as the kernel can, or
/// earlier by the time that a wake-up takes.
#[derive(Debug)]
pub struct Pacer {
    timer: AsyncFd<OwnedFd>,
    /// Lead of the timer when spinning; `None` when sleeping until the due time.
    lead: Option<WakeupLead>,
}

impl Pacer {
    /// Creates a timer. Call it on the thread and in the runtime that will wait for it. With `spin` it waits for the last
    /// microseconds before a due time by reading the clock in a loop; without, the thread wakes late by the time of a
    /// wake-up.
    pub fn new(spin: bool) -> io::Result<Self> {
        turn_off_timer_slack()?;
        let timer = timerfd_create(
            TimerfdClockId::Monotonic,
            TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC,
        )?;
        Ok(Self {
            timer: register(timer, Interest::READABLE)?,
            lead: spin.then(WakeupLead::default),
        })
    }

    /// Waits until `at_ns`, or returns immediately if that time is over. Dropping the future stops waiting.
    pub async fn until(&mut self, at_ns: u64) -> io::Result<()> {
        let wake_ns = at_ns.saturating_sub(self.lead.map_or(0, WakeupLead::ns));
        while now_ns() < wake_ns {
            set_timer(self.timer.get_ref(), wake_ns)?;
            // The readiness may be left from an earlier wait that was dropped. Clearing it is enough, because setting
            // the timer before each wait also resets what can be read.
            self.timer.readable().await?.clear_ready();
            self.learn(wake_ns);
        }
        while now_ns() < at_ns {
            // Let the connections run meanwhile.
            yield_now().await;
        }
        Ok(())
    }

    /// Updates the lead with the lateness of a wake-up, unless the thread woke too early.
    fn learn(&mut self, wake_ns: u64) {
        if let (Some(lead), Some(late_ns)) = (&mut self.lead, now_ns().checked_sub(wake_ns)) {
            lead.learn(late_ns);
        }
    }
}

/// Turns off the timer slack, by which the kernel may wake this thread up to 50 us late to save power.
pub(crate) fn turn_off_timer_slack() -> io::Result<()> {
    Ok(set_current_timer_slack(NonZeroU64::new(1))?)
}

/// Sets a timer to one point in time.
pub(crate) fn set_timer(timer: &OwnedFd, at_ns: u64) -> io::Result<()> {
    let once = Itimerspec {
        it_interval: timespec(0),
        // A time of 0 would disarm it.
        it_value: timespec(at_ns.max(1)),
    };
    timerfd_settime(timer, TimerfdTimerFlags::ABSTIME, &once)?;
    Ok(())
}
