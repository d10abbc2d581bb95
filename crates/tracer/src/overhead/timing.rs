//! Time of a call, with a warm and with an emptied cache.

use std::hint::black_box;

use rustix::time::ClockId;

use crate::clock::clock_ns;

/// Time of one event in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Timing {
    /// In a loop that does nothing else.
    pub(crate) warm_ns: f64,
    /// After the cache of the CPU was emptied.
    pub(crate) cold_ns: f64,
}

/// Calls in a row with a warm cache.
const BATCH: u32 = 16;

/// Number of samples. Their median is not moved by the few that were interrupted.
const SAMPLES: usize = 101;

/// Memory that displaces everything from a CPU's own cache, usually 0.5 to 2 MiB.
const DISPLACING: usize = 2 << 20;

/// Size of a cache line.
const LINE: usize = 64;

impl Timing {
    pub(crate) fn of(mut call: impl FnMut()) -> Self {
        let mut memory = vec![0u8; DISPLACING];
        call();
        let warm = || {
            let before_ns = clock_ns(ClockId::Monotonic);
            (0..BATCH).for_each(|_| call());
            (clock_ns(ClockId::Monotonic) - before_ns) as f64 / f64::from(BATCH)
        };
        let warm_ns = median(warm);
        let cold = || {
            memory
                .iter_mut()
                .step_by(LINE)
                .for_each(|byte| *byte = black_box(1));
            let before_ns = clock_ns(ClockId::Monotonic);
            call();
            (clock_ns(ClockId::Monotonic) - before_ns) as f64
        };
        Self {
            warm_ns,
            cold_ns: median(cold),
        }
    }

    /// Returns the difference to a part of it; 0 where noise makes that larger.
    pub(crate) fn less(self, part: Self) -> Self {
        Self {
            warm_ns: (self.warm_ns - part.warm_ns).max(0.0),
            cold_ns: (self.cold_ns - part.cold_ns).max(0.0),
        }
    }

    /// Returns the time of so many events.
    pub(crate) fn times(self, count: f64) -> Self {
        Self {
            warm_ns: self.warm_ns * count,
            cold_ns: self.cold_ns * count,
        }
    }
}

fn median(sample: impl FnMut() -> f64) -> f64 {
    let mut samples: Vec<f64> = std::iter::repeat_with(sample).take(SAMPLES).collect();
    samples.sort_unstable_by(f64::total_cmp);
    samples[SAMPLES / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_longer_call_takes_longer() {
        let spin = |rounds: u32| {
            move || {
                for round in 0..rounds {
                    black_box(round);
                }
            }
        };
        let (short, long) = (Timing::of(spin(100)), Timing::of(spin(10_000)));
        assert!(long.warm_ns > 10.0 * short.warm_ns, "{short:?} {long:?}");
        assert_eq!(
            long.less(short).times(2.0).warm_ns,
            2.0 * (long.warm_ns - short.warm_ns)
        );
        assert_eq!(short.less(long).warm_ns, 0.0);
    }
}
