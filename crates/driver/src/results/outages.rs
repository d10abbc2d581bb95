//! Outages: times in which connections of a drive were lost.

use strum::Display;

/// Time from the first lost connection until all lost connections are back.
///
/// The loss of an idle connection is found when it gets its next request, so it may stay unnoticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outage {
    /// Time when the first connection was lost, in nanoseconds of `CLOCK_MONOTONIC`.
    pub start_ns: u64,
    /// Time when the last connection came back; `None` if none did.
    pub end_ns: Option<u64>,
    /// Number of lost connections.
    pub connections: u64,
    /// Number of lost connections that came back.
    pub back: u64,
    /// Cause, as far as the server showed it afterwards.
    pub cause: OutageCause,
}

/// Cause of lost connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Display)]
#[strum(serialize_all = "snake_case")]
pub enum OutageCause {
    /// The server was restarted: its uptime began after the connections were made.
    Restarted,
    /// The server kept running and closed the connections.
    Closed,
    /// The server did not answer any more.
    Unknown,
}

/// Counter of lost connections.
#[derive(Debug, Default)]
pub(crate) struct Outages {
    ended: Vec<Outage>,
    open: Option<Outage>,
    /// Number of connections that are lost now.
    away: u64,
}

impl Outages {
    /// Records the loss of a connection.
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

    /// Records that a connection is back.
    pub(crate) fn back(&mut self, now_ns: u64, cause: OutageCause) {
        self.away = self.away.saturating_sub(1);
        let Some(outage) = &mut self.open else { return };
        // A connection that saw the restart counts more than one that was closed before or after it.
        if outage.cause != OutageCause::Restarted {
            outage.cause = cause;
        }
        outage.end_ns = Some(now_ns);
        outage.back += 1;
        if self.away == 0 {
            self.ended.extend(self.open.take());
        }
    }

    /// Forgets outages that are over, at the start of a window.
    pub(crate) fn begin(&mut self) {
        self.ended.clear();
    }

    /// Returns all outages in order.
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
