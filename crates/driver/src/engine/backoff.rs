//! Pauses between attempts to connect.

use std::time::Duration;

const FIRST: Duration = Duration::from_millis(10);
const LONGEST: Duration = Duration::from_secs(1);

/// Pauses that double from 10 ms to 1 s. Each connection waits for a different part of them, so that not all of them
/// reach a server that has just started at once.
#[derive(Debug)]
pub(crate) struct Backoff {
    next: Duration,
    /// ShardResult of each pause that this connection waits, from 0.5 to 1.
    part: f64,
}

impl Backoff {
    /// Creates the pauses of the connection with this number.
    pub(crate) fn new(number: usize) -> Self {
        // Multiples of the golden ratio spread evenly, however many there are.
        let spread = (number as f64 * 0.618_033_988_749_895).fract();
        Self {
            next: FIRST,
            part: 0.5 + spread / 2.0,
        }
    }
}

impl Iterator for Backoff {
    type Item = Duration;

    fn next(&mut self) -> Option<Duration> {
        let pause = self.next.mul_f64(self.part);
        self.next = LONGEST.min(self.next * 2);
        Some(pause)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_a_second_and_differ_by_connection() {
        let first: Vec<Duration> = Backoff::new(0).take(9).collect();
        assert_eq!(first[0], Duration::from_millis(5));
        assert!(first.windows(2).all(|pair| pair[1] >= pair[0]) && first[8] == LONGEST / 2);
        let seventh: Vec<Duration> = (1..64).filter_map(|number| Backoff::new(number).nth(6)).collect();
        assert!(
            seventh
                .iter()
                .all(|pause| (LONGEST.mul_f64(0.32)..LONGEST).contains(pause))
        );
        let mut sorted = seventh.clone();
        sorted.sort();
        sorted.dedup();
        assert_eq!(sorted.len(), seventh.len());
    }
}
