//! Order of the measurements.

use logtrace_common::random::{Rng, Stream, below};

use crate::cell::Cell;

/// Measurement of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measurement {
    /// Index of the cell in the list.
    pub cell: usize,
    /// Number of the repeat, from 0. The measurements of a repeat are a block: they follow one another.
    pub repeat: u32,
    /// Group in the block. The measurements of a group follow one another too, and can share a running server.
    pub group: usize,
    /// Seed of arrivals and requests: the same for all cells of a repeat. The data has the seed of the study.
    pub seed: u64,
}

/// Returns all windows of a study in their order. It depends on the cells and the seed only.
///
/// Blocks follow one another, so that a machine that slows down does so for all cells alike. The order of the groups in a
/// block, and of the cells in a group, is random.
pub fn measurement_order(cells: &[Cell], seed: u64) -> Vec<Measurement> {
    let servers: Vec<String> = cells.iter().map(Cell::server_key).collect();
    let repeats: Vec<u32> = cells.iter().map(Cell::window_count).collect();
    ordered(&servers, &repeats, seed)
}

/// Orders cells by the server that each needs and by the number of its repeats.
fn ordered(servers: &[String], repeats: &[u32], seed: u64) -> Vec<Measurement> {
    let blocks = repeats.iter().copied().max().unwrap_or(0);
    let mut measurements = Vec::new();
    for repeat in 0..blocks {
        let mut rng = Stream::Study(2 * repeat).rng(seed);
        let seed = Stream::Study(2 * repeat + 1).rng(seed).next_u64();
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for cell in (0..servers.len()).filter(|&cell| repeats[cell] > repeat) {
            match groups.iter_mut().find(|group| servers[group[0]] == servers[cell]) {
                Some(group) => group.push(cell),
                None => groups.push(vec![cell]),
            }
        }
        shuffle(&mut groups, &mut rng);
        for (number, group) in groups.iter_mut().enumerate() {
            shuffle(group, &mut rng);
            measurements.extend(group.iter().map(|&cell| Measurement {
                cell,
                repeat,
                group: number,
                seed,
            }));
        }
    }
    measurements
}

/// Shuffles by Fisher and Yates. It is written out so that a newer version of a crate cannot change the meaning of a seed.
pub(crate) fn shuffle<T>(items: &mut [T], rng: &mut impl Rng) {
    for last in (1..items.len()).rev() {
        // The number is at most `last`, which is a usize.
        let other = below(rng, last as u64 + 1) as usize;
        items.swap(last, other);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cells() -> impl Strategy<Value = (Vec<String>, Vec<u32>)> {
        proptest::collection::vec((0u8..4, 0u32..5), 0..30).prop_map(|cells| {
            cells
                .into_iter()
                .map(|(server, repeats)| (server.to_string(), repeats))
                .unzip()
        })
    }

    proptest! {
        #[test]
        fn each_cell_has_each_of_its_repeats_once_and_blocks_follow_one_another((servers, repeats) in cells(), seed: u64) {
            let measurements = ordered(&servers, &repeats, seed);
            prop_assert!(measurements.is_sorted_by_key(|turn| turn.repeat));
            let mut seen: Vec<(usize, u32)> = measurements.iter().map(|turn| (turn.cell, turn.repeat)).collect();
            seen.sort_unstable();
            let all = (0..repeats.len()).flat_map(|cell| (0..repeats[cell]).map(move |repeat| (cell, repeat)));
            prop_assert!(seen.into_iter().eq(all));
        }

        #[test]
        fn each_server_runs_once_per_block((servers, repeats) in cells(), seed: u64) {
            let measurements = ordered(&servers, &repeats, seed);
            let mut stretches: Vec<(u32, usize, &str)> =
                measurements.iter().map(|turn| (turn.repeat, turn.group, servers[turn.cell].as_str())).collect();
            stretches.dedup();
            let mut servers: Vec<(u32, &str)> = stretches.iter().map(|&(repeat, _, server)| (repeat, server)).collect();
            servers.sort_unstable();
            prop_assert!(servers.windows(2).all(|pair| pair[0] != pair[1]));
        }

        #[test]
        fn seed_decides_order_and_requests((servers, repeats) in cells(), seed: u64) {
            let measurements = ordered(&servers, &repeats, seed);
            prop_assert_eq!(&measurements, &ordered(&servers, &repeats, seed));
            for pair in measurements.windows(2) {
                prop_assert_eq!(pair[0].repeat == pair[1].repeat, pair[0].seed == pair[1].seed);
            }
        }
    }

    #[test]
    fn cells_are_first_equally_often() {
        let (servers, repeats) = (vec![String::new(); 5], vec![1; 5]);
        let mut first = [0u32; 5];
        for seed in 0..5000 {
            first[ordered(&servers, &repeats, seed)[0].cell] += 1;
        }
        // Five standard errors: sqrt(5000 * 1/5 * 4/5) = 28.
        assert!(first.iter().all(|count| count.abs_diff(1000) < 141), "{first:?}");
    }
}
