//! Requests of a window and the order of the windows; pure.

use std::time::Duration;

use logtrace_common::random::{Stream, below};
use logtrace_driver::{Arrivals, Dataset};

/// Client whose window it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClientTurn {
    /// logtrace's own client.
    Own,
    /// The library.
    Library,
    /// logtrace's own client a second time: the control.
    Control,
}

impl ClientTurn {
    /// All turns, in the order of the table.
    pub(crate) const ALL: [Self; 3] = [Self::Own, Self::Library, Self::Control];
}

/// UPDATE at its due time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Planned {
    /// Due time after the start, in nanoseconds.
    pub(crate) offset_ns: u64,
    /// Index of the table, from 0.
    pub(crate) table: usize,
    /// Key of the row.
    pub(crate) key: i64,
}

/// Returns the turns of a round. Over six rounds, each client has each place twice, and each order of two is as frequent as
/// the other.
pub(crate) fn turns(round: usize) -> [ClientTurn; 3] {
    let mut turns = ClientTurn::ALL;
    turns.rotate_left(round % 3);
    if (round / 3) % 2 == 1 {
        turns.reverse();
    }
    turns
}

/// Returns the requests of a length at Poisson arrivals. The same seed gives the same requests.
pub(crate) fn requests(rate_per_s: f64, length: Duration, dataset: &Dataset, seed: u64) -> Vec<Planned> {
    let mut rng = Stream::Window.rng(seed);
    let planned = |offset_ns| Planned {
        offset_ns,
        // Below the number of tables, and within the rows: both are a u32.
        table: below(&mut rng, dataset.tables.into()) as usize,
        key: 1 + below(&mut rng, dataset.rows.into()) as i64,
    };
    let offsets = Arrivals::Poisson.offsets_ns(rate_per_s, seed);
    let in_time = offsets.take_while(|&offset_ns| u128::from(offset_ns) < length.as_nanos());
    in_time.map(planned).collect()
}

#[cfg(test)]
mod tests {
    use logtrace_benchkit::tables::DATASET;

    use super::*;

    #[test]
    fn every_client_has_every_place_and_every_order_equally_often() {
        let rounds: Vec<[ClientTurn; 3]> = (0..12).map(turns).collect();
        for turn in ClientTurn::ALL {
            for place in 0..3 {
                assert_eq!(rounds.iter().filter(|round| round[place] == turn).count(), 4);
            }
            for other in ClientTurn::ALL.into_iter().filter(|&other| other != turn) {
                let place = |round: &[ClientTurn; 3], of| round.iter().position(|&turn| turn == of);
                let before = rounds
                    .iter()
                    .filter(|round| place(round, turn) < place(round, other));
                assert_eq!(before.count(), 6, "{turn:?} before {other:?}");
            }
        }
    }

    #[test]
    fn both_clients_get_the_same_requests_which_are_on_all_rows() {
        let plan = |seed| requests(2000.0, Duration::from_secs(3), &DATASET, seed);
        let requests = plan(1);
        assert_eq!(requests, plan(1));
        assert_ne!(requests, plan(2));
        // Five standard deviations of a Poisson count.
        assert!(requests.len().abs_diff(6000) < 390, "{}", requests.len());
        assert!(requests.is_sorted_by_key(|request| request.offset_ns));
        for table in 0..4 {
            assert!(requests.iter().filter(|request| request.table == table).count() > 1000);
        }
        let keys = requests.iter().map(|request| request.key);
        let (least, most) = (keys.clone().min().unwrap(), keys.max().unwrap());
        assert!((1..100).contains(&least) && (9_900..=10_000).contains(&most));
    }
}
