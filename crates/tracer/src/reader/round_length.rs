//! Time between two rounds of the reader; pure.

use std::time::Duration;

/// Time from one round to the next: short enough that rings do not fill up, and else as long as the records of a round
/// stay in a CPU's cache. A round has a cost of its own, of which each record pays a part: threads wake up, and find
/// nothing that they need in the caches.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RoundLength {
    longest: Duration,
    current: Duration,
}

/// Shortest time. A ring of 2 MiB holds about 32,000 records of one CPU: five times what the busiest server makes meanwhile.
const SHORTEST: Duration = Duration::from_millis(50);

/// Longest time. A server may become busy while the reader sleeps: the busiest makes 26,000 records of one CPU meanwhile.
const LONGEST: Duration = Duration::from_millis(200);

/// Size of a ring with which the reader may sleep for the shortest time.
const LEAST_RING: u32 = 512 << 10;

/// Size of the records of a round: less than a CPU's own cache, usually 0.5 to 2 MiB.
const ROUND_BYTES: f64 = (256 << 10) as f64;

impl RoundLength {
    /// Starts with the shortest time, for rings of this size.
    pub(crate) fn new(ring_bytes: u32) -> Self {
        let longest = SHORTEST.mul_f64(f64::from(ring_bytes) / f64::from(LEAST_RING));
        Self {
            longest: longest.clamp(SHORTEST, LONGEST),
            current: SHORTEST,
        }
    }

    /// Returns the time until the next round.
    pub(crate) fn get(self) -> Duration {
        self.current
    }

    /// Adjusts the time after a round with so many bytes of records, made in `time`.
    pub(crate) fn adjust(&mut self, bytes: u64, time: Duration) {
        let fitting = time.as_secs_f64() * ROUND_BYTES / bytes.max(1) as f64;
        let (shortest, longest) = (SHORTEST.as_secs_f64(), self.longest.as_secs_f64());
        self.current = Duration::from_secs_f64(fitting.clamp(shortest, longest));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(ring_bytes: u32, bytes: u64) -> Duration {
        let mut length = RoundLength::new(ring_bytes);
        length.adjust(bytes, Duration::from_millis(100));
        length.get()
    }

    #[test]
    fn a_busy_server_has_short_rounds_and_an_idle_one_long_ones() {
        assert_eq!(after(2 << 20, 10 << 20), SHORTEST);
        assert_eq!(after(2 << 20, 256 << 10), Duration::from_millis(100));
        assert_eq!(after(2 << 20, 10 << 10), LONGEST);
        assert_eq!(after(2 << 20, 0), LONGEST);
    }

    #[test]
    fn small_rings_are_read_often() {
        assert_eq!(RoundLength::new(2 << 20).get(), SHORTEST);
        assert_eq!(after(512 << 10, 0), SHORTEST);
        assert_eq!(after(64 << 10, 0), SHORTEST);
        assert_eq!(after(1 << 20, 0), Duration::from_millis(100));
        assert_eq!(after(256 << 20, 0), LONGEST);
    }
}
