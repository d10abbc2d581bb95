//! Size of a table of threads, so that a trace of weeks takes no more memory than one of minutes.
//!
//! A server that makes a thread for each connection has millions of threads in a week, and each has an id of its own.
//! A table is searched when it has twice as many threads as were left by the last search: each thread is looked at
//! once or twice on average.

/// Number of threads that every table holds. The past of an ended thread takes a kilobyte.
const LEAST: usize = 512;

/// Time for which the past of an ended thread is held: a commit that it woke may end a little later.
const ENDED_NS: u64 = 2_000_000_000;

/// Time for which the past of a silent thread is held. A wait for a row lock ends within 50 s
/// (`innodb_lock_wait_timeout`), and the record of any wait has the time of its beginning.
const SILENT_NS: u64 = 60_000_000_000;

/// Size at which a table of threads is searched for threads to forget.
#[derive(Debug)]
pub(crate) struct Room {
    full_length: usize,
}

impl Default for Room {
    fn default() -> Self {
        Self {
            full_length: 2 * LEAST,
        }
    }
}

impl Room {
    /// Returns whether a table of this length must be searched.
    pub(crate) fn is_full(&self, length: usize) -> bool {
        length >= self.full_length
    }

    /// Makes room after a search that left this many threads.
    pub(crate) fn make(&mut self, left: usize) {
        self.full_length = 2 * left.max(LEAST);
    }
}

/// Returns whether a thread can be forgotten at `now_ns`. `last_ns` is the time of its last record.
pub(crate) fn is_forgettable(now_ns: u64, last_ns: u64, ended_ns: Option<u64>) -> bool {
    match ended_ns {
        Some(ended_ns) => now_ns.saturating_sub(ended_ns) > ENDED_NS,
        None => now_ns.saturating_sub(last_ns) > SILENT_NS,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_forgotten_after_its_end_or_a_long_silence() {
        let second = 1_000_000_000;
        assert!(!is_forgettable(60 * second, 0, None) && is_forgettable(61 * second, 0, None));
        assert!(!is_forgettable(61 * second, 0, Some(59 * second)));
        assert!(is_forgettable(62 * second, 59 * second, Some(59 * second)));
        // Times of a damaged record.
        assert!(!is_forgettable(0, u64::MAX, None));
    }

    #[test]
    fn room_is_twice_what_is_left() {
        let mut room = Room::default();
        assert!(!room.is_full(2 * LEAST - 1) && room.is_full(2 * LEAST));
        room.make(10 * LEAST);
        assert!(!room.is_full(20 * LEAST - 1) && room.is_full(20 * LEAST));
        room.make(1);
        assert!(room.is_full(2 * LEAST));
    }
}
