//! Table by thread.
//!
//! A commit looks up threads some hundred times. The ids of a server's threads are near each other: a table by the low bits
//! of the id finds almost all of them with one comparison, and a hash map has the others.

use logtrace_events::Tid;
use rustc_hash::FxHashMap;

/// Number of places that are found without the hash map, a power of two.
const NEAR: usize = 1024;

/// Values by thread.
#[derive(Debug)]
pub(crate) struct ThreadTable<T> {
    rows: Vec<(Tid, T)>,
    /// Place among the rows, by thread.
    places: FxHashMap<Tid, usize>,
    /// Place that a thread with these low bits was given last. It may be another's by now.
    near: Vec<usize>,
}

impl<T> Default for ThreadTable<T> {
    fn default() -> Self {
        Self {
            rows: Vec::new(),
            places: FxHashMap::default(),
            near: vec![0; NEAR],
        }
    }
}

impl<T> ThreadTable<T> {
    /// Returns the value of a thread.
    pub(crate) fn get(&self, tid: Tid) -> Option<&T> {
        self.place(tid).map(|place| &self.rows[place].1)
    }

    /// Returns the value of a thread for changes.
    pub(crate) fn get_mut(&mut self, tid: Tid) -> Option<&mut T> {
        self.place(tid).map(|place| &mut self.rows[place].1)
    }

    /// Returns the value of a thread for changes, a new one if it has none.
    pub(crate) fn or_default(&mut self, tid: Tid) -> &mut T
    where
        T: Default,
    {
        let place = self.place(tid).unwrap_or_else(|| {
            self.rows.push((tid, T::default()));
            let place = self.rows.len() - 1;
            self.places.insert(tid, place);
            self.near[near(tid)] = place;
            place
        });
        &mut self.rows[place].1
    }

    /// Returns the number of threads.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns whether a thread has a value.
    pub(crate) fn contains(&self, tid: Tid) -> bool {
        self.place(tid).is_some()
    }

    /// Returns the threads with their values, in no order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (Tid, &T)> {
        self.rows.iter().map(|(tid, value)| (*tid, value))
    }

    /// Returns the values for changes, in no order.
    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.rows.iter_mut().map(|(_, value)| value)
    }

    /// Removes the threads that `is_one` returns, and returns them in no order.
    pub(crate) fn extract(&mut self, is_one: impl Fn(Tid, &T) -> bool) -> Vec<(Tid, T)> {
        let extracted = self
            .rows
            .extract_if(.., |(tid, value)| is_one(*tid, value))
            .collect();
        self.places.clear();
        for (place, (tid, _)) in self.rows.iter().enumerate() {
            self.places.insert(*tid, place);
            self.near[near(*tid)] = place;
        }
        extracted
    }

    /// Removes all threads.
    pub(crate) fn clear(&mut self) {
        self.rows.clear();
        self.places.clear();
    }

    fn place(&self, tid: Tid) -> Option<usize> {
        let place = self.near[near(tid)];
        match self.rows.get(place) {
            Some((found, _)) if *found == tid => Some(place),
            _ => self.places.get(&tid).copied(),
        }
    }
}

fn near(tid: Tid) -> usize {
    tid as usize % NEAR
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_has_what_a_map_has(steps in prop::collection::vec((0..4_u32, 0..6_u32, any::<bool>()), 0..200)) {
            let (mut table, mut map) = (ThreadTable::<u32>::default(), FxHashMap::<Tid, u32>::default());
            for (high, low, is_removed) in steps {
                let tid = high * NEAR as u32 + low;
                if is_removed {
                    table.extract(|other, _| other % 7 == tid % 7);
                    map.retain(|other, _| other % 7 != tid % 7);
                } else {
                    *table.or_default(tid) += low + 1;
                    *map.entry(tid).or_default() += low + 1;
                }
                prop_assert_eq!(table.len(), map.len());
                for tid in (0..4).flat_map(|high| (0..6).map(move |low| high * NEAR as u32 + low)) {
                    prop_assert_eq!(table.get(tid), map.get(&tid));
                    prop_assert_eq!(table.get_mut(tid).copied(), map.get(&tid).copied());
                }
            }
        }
    }
}
