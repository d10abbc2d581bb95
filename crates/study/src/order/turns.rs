//! In which order cells are measured.

use logtrace_driver::random::{Rng, Stream, below};

use crate::cell::Cell;

/// One measurement of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Turn {
    /// The place of the cell in the list.
    pub cell: usize,
    /// Which measurement of it this is, from 0. All turns of a repeat are a block: they follow one another.
    pub repeat: u32,
    /// Turns of a block with the same number follow one another too, and can share a running server.
    pub group: usize,
    /// Seed of arrivals and requests: the same for all cells of a repeat. That of the data is the study's own.
    pub seed: u64,
}

/// All turns of a study, the same for the same cells and seed.
///
/// Blocks come one after the other, so that a machine that gets slower does so for all cells alike. In a block the groups
/// of cells that can share a running server are in an order that is drawn, and so are the cells in each.
pub fn turns(cells: &[Cell], seed: u64) -> Vec<Turn> {
    let servers: Vec<String> = cells.iter().map(Cell::server_key).collect();
    let repeats: Vec<u32> = cells.iter().map(|cell| cell.repeats).collect();
    ordered(&servers, &repeats, seed)
}

/// The same for cells of which no more is known than what server each needs, and how often it is measured.
fn ordered(servers: &[String], repeats: &[u32], seed: u64) -> Vec<Turn> {
    let blocks = repeats.iter().copied().max().unwrap_or(0);
    let mut turns = Vec::new();
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
            turns.extend(group.iter().map(|&cell| Turn {
                cell,
                repeat,
                group: number,
                seed,
            }));
        }
    }
    turns
}

/// Fisher and Yates's shuffle, spelled out so that a newer version of a crate cannot change what a seed means.
fn shuffle<T>(items: &mut [T], rng: &mut impl Rng) {
    for last in (1..items.len()).rev() {
        // At most `last`, which is a usize.
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
            let turns = ordered(&servers, &repeats, seed);
            prop_assert!(turns.is_sorted_by_key(|turn| turn.repeat));
            let mut seen: Vec<(usize, u32)> = turns.iter().map(|turn| (turn.cell, turn.repeat)).collect();
            seen.sort_unstable();
            let all = (0..repeats.len()).flat_map(|cell| (0..repeats[cell]).map(move |repeat| (cell, repeat)));
            prop_assert!(seen.into_iter().eq(all));
        }

        #[test]
        fn the_same_server_is_needed_once_a_block((servers, repeats) in cells(), seed: u64) {
            let turns = ordered(&servers, &repeats, seed);
            let mut stretches: Vec<(u32, usize, &str)> =
                turns.iter().map(|turn| (turn.repeat, turn.group, servers[turn.cell].as_str())).collect();
            stretches.dedup();
            let mut servers: Vec<(u32, &str)> = stretches.iter().map(|&(repeat, _, server)| (repeat, server)).collect();
            servers.sort_unstable();
            prop_assert!(servers.windows(2).all(|pair| pair[0] != pair[1]));
        }

        #[test]
        fn a_seed_decides_the_order_and_what_cells_are_asked((servers, repeats) in cells(), seed: u64) {
            let turns = ordered(&servers, &repeats, seed);
            prop_assert_eq!(&turns, &ordered(&servers, &repeats, seed));
            for pair in turns.windows(2) {
                prop_assert_eq!(pair[0].repeat == pair[1].repeat, pair[0].seed == pair[1].seed);
            }
        }
    }

    #[test]
    fn every_cell_is_first_about_as_often() {
        let (servers, repeats) = (vec![String::new(); 5], vec![1; 5]);
        let mut first = [0u32; 5];
        for seed in 0..5000 {
            first[ordered(&servers, &repeats, seed)[0].cell] += 1;
        }
        // Five standard errors: sqrt(5000 * 1/5 * 4/5) = 28.
        assert!(first.iter().all(|count| count.abs_diff(1000) < 141), "{first:?}");
    }
}
