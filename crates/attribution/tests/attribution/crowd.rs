//! Random schedules of a crowd that queues for a few locks: convoys, in which threads wake each other one by one.

use std::collections::VecDeque;

use logtrace_events::Record;
use proptest::prelude::*;

use super::schedule::{Cpu, Schedule};

const LOCKS: usize = 3;

/// The records of such a server, in ring order.
pub(crate) fn records() -> impl Strategy<Value = Vec<Record>> {
    let step = (any::<prop::sample::Index>(), any::<u8>(), 0u64..5);
    let steps = proptest::collection::vec(step, 0..1_200);
    (2usize..40, steps).prop_map(|(threads, steps)| {
        let mut crowd = Crowd::new(threads);
        for (thread, choice, pause_ns) in steps {
            crowd.schedule.now_ns += pause_ns;
            crowd.step(thread.index(threads), choice);
        }
        crowd.schedule.records
    })
}

struct Crowd {
    schedule: Schedule,
    locks: [Lock; LOCKS],
}

#[derive(Default)]
struct Lock {
    holder: Option<usize>,
    queue: VecDeque<usize>,
}

impl Crowd {
    fn new(threads: usize) -> Self {
        Self {
            schedule: Schedule::new(threads),
            locks: Default::default(),
        }
    }

    fn step(&mut self, at: usize, choice: u8) {
        match self.schedule.threads[at].cpu {
            Cpu::Running => self.run(at, choice),
            Cpu::Runnable(block, wake) => self.schedule.switch_in(at, block, wake),
            // Until the holder is done.
            Cpu::Blocked(_) => {}
        }
    }

    fn run(&mut self, at: usize, choice: u8) {
        let what = choice / 16;
        match choice % 16 {
            0 => self.schedule.preempt(at),
            1 => self.schedule.enter_or_exit_io(at, what),
            _ if self.schedule.is_in_io(at) => self.schedule.enter_or_exit_io(at, what),
            2..=4 => self.schedule.begin_or_end_commit(at, what),
            5..=9 => self.release(at, what),
            _ => self.acquire(at, usize::from(what) % LOCKS),
        }
    }

    /// Takes the lock, or queues for it; a thread takes a lock only above all that it holds, so that it gets it.
    fn acquire(&mut self, at: usize, lock: usize) {
        if self.locks[lock..].iter().any(|lock| lock.holder == Some(at)) {
            return;
        }
        let lock = &mut self.locks[lock];
        match lock.holder {
            None => lock.holder = Some(at),
            Some(_) => {
                lock.queue.push_back(at);
                self.schedule.queue(at);
            }
        }
    }

    /// Hands the first lock that the thread holds to one that queues for it: mostly to the first, now and then to one
    /// that came later.
    fn release(&mut self, at: usize, what: u8) {
        let held = self.locks.iter_mut().find(|lock| lock.holder == Some(at));
        let Some(lock) = held else {
            return;
        };
        let next = match what {
            0..=11 => lock.queue.pop_front(),
            12 | 13 => lock.queue.pop_back(),
            _ => lock.queue.swap_remove_back(lock.queue.len() / 2),
        };
        lock.holder = next;
        if let Some(next) = next {
            self.schedule.wake(at, next);
        }
    }
}
