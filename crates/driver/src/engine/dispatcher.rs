//! Who takes which request: due requests, idle connections, and the backlog between them.
//!
//! Pure: times come in as numbers, and waking is the caller's wakers.

use std::collections::VecDeque;
use std::task::{Poll, Waker};

use crate::engine::request_source::{Source, Turn};

/// Hands requests to connections as they fall due.
///
/// Invariant: nothing waits in the backlog while a connection is idle.
#[derive(Debug)]
pub(crate) struct Board {
    source: Source,
    backlog: VecDeque<Turn>,
    seats: Vec<Seat>,
    /// Numbers of the idle seats. The last one to become idle is the first to get work: its memory is warm.
    idle: Vec<usize>,
    counts: Counts,
    closed: bool,
}

/// What has been handed out since the source was set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Requests that fell due.
    pub(crate) released: u64,
    /// Those of them that found no idle connection.
    pub(crate) queued: u64,
    /// Handed out and not finished.
    pub(crate) running: u64,
    /// The longest backlog.
    pub(crate) backlog_max: u64,
}

#[derive(Debug)]
enum Seat {
    /// Busy with a request, or not there yet.
    Away,
    /// Waits for a request.
    Idle(Waker),
    /// Has been woken for this request.
    Given(Turn),
}

impl Counts {
    /// Adds what another board counted.
    pub(crate) fn add(&mut self, other: Self) {
        self.released += other.released;
        self.queued += other.queued;
        self.running += other.running;
        self.backlog_max += other.backlog_max;
    }
}

impl Board {
    pub(crate) fn new(seats: usize) -> Self {
        Self {
            source: Source::Shut,
            backlog: VecDeque::new(),
            seats: (0..seats).map(|_| Seat::Away).collect(),
            idle: Vec::with_capacity(seats),
            counts: Counts::default(),
            closed: false,
        }
    }

    /// Starts to take requests from another source and to count anew. Whatever still waited is dropped.
    pub(crate) fn set_source(&mut self, source: Source) {
        self.source = source;
        self.backlog.clear();
        self.counts = Counts {
            running: self.counts.running,
            ..Counts::default()
        };
    }

    /// Hands out everything that is due by now; whether a connection got work.
    pub(crate) fn release(&mut self, now_ns: u64) -> bool {
        let mut handed = false;
        while let Some(&seat) = self.idle.last() {
            let Some(turn) = self.next_turn(now_ns) else {
                return handed;
            };
            handed = true;
            self.idle.pop();
            self.counts.running += 1;
            if let Seat::Idle(waker) = std::mem::replace(&mut self.seats[seat], Seat::Given(turn)) {
                waker.wake();
            }
        }
        if self.source.queues() {
            while let Some(turn) = self.next_turn(now_ns) {
                self.counts.queued += 1;
                self.backlog.push_back(turn);
            }
            self.counts.backlog_max = self.counts.backlog_max.max(self.backlog());
        }
        handed
    }

    /// The next request for a connection, in the order in which they fell due; `None` once the board is closed.
    pub(crate) fn poll_turn(&mut self, seat: usize, now_ns: u64, waker: &Waker) -> Poll<Option<Turn>> {
        if self.closed {
            return Poll::Ready(None);
        }
        match &mut self.seats[seat] {
            Seat::Given(turn) => {
                let turn = *turn;
                self.seats[seat] = Seat::Away;
                return Poll::Ready(Some(turn));
            }
            Seat::Idle(known) => {
                // Polled for a reason of its own; there is no backlog while a seat is idle.
                known.clone_from(waker);
                return Poll::Pending;
            }
            Seat::Away => {}
        }
        match self.backlog.pop_front().or_else(|| self.next_turn(now_ns)) {
            Some(turn) => {
                self.counts.running += 1;
                Poll::Ready(Some(turn))
            }
            None => {
                self.seats[seat] = Seat::Idle(waker.clone());
                self.idle.push(seat);
                Poll::Pending
            }
        }
    }

    /// A request that was handed out has ended.
    pub(crate) fn finish(&mut self) {
        self.counts.running -= 1;
    }

    /// When, after now, the source has something to hand out next, if that depends on time alone.
    pub(crate) fn next_due_ns(&mut self, now_ns: u64) -> Option<u64> {
        self.source.next_due_ns(now_ns)
    }

    /// Whether nothing waits and nothing runs.
    pub(crate) fn is_drained(&self) -> bool {
        self.backlog.is_empty() && self.counts.running == 0
    }

    /// Ends the source and keeps the backlog.
    pub(crate) fn shut(&mut self) {
        self.source = Source::Shut;
    }

    /// Drops what waits and returns how many requests that were.
    pub(crate) fn drop_backlog(&mut self) -> u64 {
        let dropped = self.backlog();
        self.backlog.clear();
        dropped
    }

    /// Sends every connection home, as soon as it is idle.
    pub(crate) fn close(&mut self) {
        self.closed = true;
        for seat in self.idle.drain(..) {
            if let Seat::Idle(waker) = &self.seats[seat] {
                waker.wake_by_ref();
            }
        }
    }

    pub(crate) fn backlog(&self) -> u64 {
        self.backlog.len() as u64
    }

    pub(crate) fn counts(&self) -> Counts {
        self.counts
    }

    fn next_turn(&mut self, now_ns: u64) -> Option<Turn> {
        let turn = self.source.next(now_ns)?;
        self.counts.released += 1;
        Some(turn)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::engine::share::Share;
    use crate::schedule::arrivals::Arrivals;

    fn open(rate_per_s: f64, end_ns: u64) -> Source {
        Source::open(Arrivals::Uniform.offsets_ns(rate_per_s, 0), 0, end_ns, 0)
    }

    fn take(board: &mut Board, seat: usize, now_ns: u64) -> Option<Turn> {
        match board.poll_turn(seat, now_ns, Waker::noop()) {
            Poll::Ready(turn) => turn,
            Poll::Pending => None,
        }
    }

    #[test]
    fn a_due_request_goes_to_the_connection_that_became_idle_last() {
        let mut board = Board::new(2);
        assert!(take(&mut board, 0, 0).is_none() && take(&mut board, 1, 0).is_none());
        board.set_source(open(1000.0, 1_000_000));
        board.release(0);
        assert!(take(&mut board, 0, 0).is_none(), "still idle");
        assert_eq!(take(&mut board, 1, 0).unwrap().due_ns, Some(0));
    }

    #[test]
    fn a_busy_server_makes_a_backlog_and_not_a_lower_rate() {
        let mut board = Board::new(1);
        board.set_source(open(1000.0, 10_000_000));
        assert_eq!(take(&mut board, 0, 0).unwrap().number, 0);
        board.release(10_000_000);
        assert_eq!(board.backlog(), 9);
        board.finish();
        assert_eq!(take(&mut board, 0, 10_000_000).unwrap().due_ns, Some(1_000_000));
        let counts = board.counts();
        assert_eq!((counts.released, counts.queued, counts.backlog_max), (10, 9, 9));
        assert_eq!((counts.running, board.drop_backlog()), (1, 8));
    }

    #[test]
    fn a_closed_loop_never_queues() {
        let mut board = Board::new(2);
        assert!(take(&mut board, 0, 0).is_none());
        board.set_source(Source::closed(100, 200, 0, Share::ALL));
        board.release(99);
        assert_eq!(board.counts().released, 0);
        board.release(100);
        assert_eq!(take(&mut board, 0, 100).unwrap().due_ns, None);
        assert!(take(&mut board, 1, 150).is_some() && take(&mut board, 0, 200).is_none());
        assert_eq!(board.backlog(), 0);
    }

    /// What may happen next to a board of three connections.
    #[derive(Clone, Debug)]
    enum Step {
        Time(u64),
        Poll(usize),
        Finish(usize),
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            (0u64..3_000_000).prop_map(Step::Time),
            (0usize..3).prop_map(Step::Poll),
            (0usize..3).prop_map(Step::Finish),
        ];
        proptest::collection::vec(step, 0..200)
    }

    proptest! {
        #[test]
        fn each_due_request_is_handed_out_once(steps in steps()) {
            let mut board = Board::new(3);
            board.set_source(open(1000.0, 50_000_000));
            let (mut now, mut busy, mut taken) = (0, [false; 3], BTreeMap::new());
            for step in steps {
                match step {
                    Step::Time(passed) => { now += passed; board.release(now); }
                    Step::Poll(seat) if !busy[seat] => if let Some(turn) = take(&mut board, seat, now) {
                        busy[seat] = true;
                        prop_assert!(turn.due_ns.unwrap() <= now);
                        prop_assert_eq!(taken.insert(turn.number, turn), None);
                    },
                    Step::Finish(seat) if busy[seat] => { busy[seat] = false; board.finish(); }
                    Step::Poll(_) | Step::Finish(_) => {}
                }
                let counts = board.counts();
                prop_assert!(board.backlog() == 0 || board.idle.is_empty());
                prop_assert!(taken.len() as u64 + board.backlog() <= counts.released);
                let running = busy.iter().filter(|&&busy| busy).count() as u64;
                prop_assert!(counts.running >= running && counts.running <= 3);
            }
            // Everything due is taken once all connections come back.
            for round in 0..200 {
                let seat = round % 3;
                if std::mem::take(&mut busy[seat]) { board.finish(); }
                if let Some(turn) = take(&mut board, seat, now) {
                    busy[seat] = true;
                    prop_assert_eq!(taken.insert(turn.number, turn), None);
                }
            }
            prop_assert_eq!(taken.len() as u64, board.counts().released);
            prop_assert!(taken.keys().copied().eq(0..board.counts().released));
        }
    }
}
