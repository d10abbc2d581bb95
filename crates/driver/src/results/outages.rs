//! Times in which connections of a drive were lost.
//!
//! Pure: times come in as numbers.

/// From the first connection that was lost until all that were lost are there again.
///
/// A connection that is idle is found to be lost when it gets a request: one that gets none may never be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outage {
    /// When the first connection was lost, in nanoseconds of `CLOCK_MONOTONIC`.
    pub start_ns: u64,
    /// When the last one was there again of those that came back; `None` when none did.
    pub end_ns: Option<u64>,
    /// How many were lost.
    pub connections: u64,
    /// How many of them came back.
    pub back: u64,
    /// Why, as far as the server told afterwards.
    pub cause: OutageCause,
}

/// Why connections were lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutageCause {
    /// By its own uptime the server was started after they had been made.
    Restarted,
    /// The server went on, and ended only the connections.
    Closed,
    /// It did not answer any more.
    Unknown,
}

impl OutageCause {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Restarted => "restarted",
            Self::Closed => "closed",
            Self::Unknown => "unknown",
        }
    }
}

/// Counts connections that are lost, and come back or not.
#[derive(Debug, Default)]
pub(crate) struct Outages {
    ended: Vec<Outage>,
    open: Option<Outage>,
    /// Connections that are not there now.
    away: u64,
}

impl Outages {
    /// A connection was lost.
    pub(crate) fn lost(&mut self, now_ns: u64) {
        self.away += 1;
        let outage = self.open.get_or_insert(Outage {
            start_ns: now_ns,
            end_ns: None,
            connections: 0,
            back: 0,
            cause: OutageCause::Unknown,
        });
        outage.connections += 1;
    }

    /// One is there again.
    pub(crate) fn back(&mut self, now_ns: u64, cause: OutageCause) {
        self.away = self.away.saturating_sub(1);
        let Some(outage) = &mut self.open else { return };
        // One connection that saw the restart knows better than one that was closed before or after it.
        if outage.cause != OutageCause::Restarted {
            outage.cause = cause;
        }
        outage.end_ns = Some(now_ns);
        outage.back += 1;
        if self.away == 0 {
            self.ended.extend(self.open.take());
        }
    }

    /// Forgets what is over: a window begins.
    pub(crate) fn begin(&mut self) {
        self.ended.clear();
    }

    /// All there were, in their order.
    pub(crate) fn all(&self) -> Vec<Outage> {
        self.ended.iter().copied().chain(self.open).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outage_lasts_from_the_first_lost_to_the_last_that_is_back() {
        let mut outages = Outages::default();
        outages.lost(10);
        outages.lost(12);
        outages.back(20, OutageCause::Restarted);
        outages.back(25, OutageCause::Closed);
        let first = Outage {
            start_ns: 10,
            end_ns: Some(25),
            connections: 2,
            back: 2,
            cause: OutageCause::Restarted,
        };
        assert_eq!(outages.all(), [first]);
        outages.lost(40);
        let second = Outage {
            start_ns: 40,
            end_ns: None,
            connections: 1,
            back: 0,
            cause: OutageCause::Unknown,
        };
        assert_eq!(outages.all(), [first, second]);
        outages.begin();
        assert_eq!(outages.all(), [second]);
    }
}
