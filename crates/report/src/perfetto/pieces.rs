//! Intervals that several commits saw, each as much of it as was in its own time.

use logtrace_common::TimeRange;

use super::slices::Slice;

/// Interval as one commit saw it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Piece {
    pub(super) slice: Slice,
    /// Whether it may have begun earlier.
    pub(super) is_start_cut: bool,
    /// Whether it may have ended later.
    pub(super) is_end_cut: bool,
}

impl Piece {
    /// Creates an interval that was seen from its start to its end.
    pub(super) fn whole(range: TimeRange, name: &str) -> Self {
        Self {
            slice: Slice::new(range, name),
            is_start_cut: false,
            is_end_cut: false,
        }
    }

    /// Returns whether `later`, which does not begin before it, is the same interval.
    fn is_same(&self, later: &Self) -> bool {
        let (one, other) = (self.slice.range, later.slice.range);
        let has_start = one.start_ns == other.start_ns || later.is_start_cut;
        let has_end = match one.end_ns.cmp(&other.end_ns) {
            std::cmp::Ordering::Less => self.is_end_cut,
            std::cmp::Ordering::Equal => true,
            std::cmp::Ordering::Greater => later.is_end_cut,
        };
        self.slice.name == later.slice.name && other.start_ns < one.end_ns && has_start && has_end
    }

    /// Adds what `later` saw of the same interval.
    fn add(&mut self, later: Self) {
        let range = &mut self.slice.range;
        if later.slice.range.end_ns > range.end_ns {
            range.end_ns = later.slice.range.end_ns;
            self.is_end_cut = later.is_end_cut;
        }
        if self.slice.notes.is_empty() {
            self.slice.notes = later.slice.notes;
        }
    }
}

/// Returns the intervals of a track, each once.
pub(super) fn merged(mut pieces: Vec<Piece>) -> Vec<Slice> {
    pieces.sort_by_key(|piece| (piece.slice.range.start_ns, piece.is_start_cut));
    let mut merged: Vec<Piece> = Vec::new();
    // Those that may go on: none of them ends before the next piece begins.
    let mut open: Vec<usize> = Vec::new();
    for piece in pieces {
        open.retain(|&at| merged[at].slice.range.end_ns > piece.slice.range.start_ns);
        match open.iter().find(|&&at| merged[at].is_same(&piece)) {
            Some(&at) => merged[at].add(piece),
            None => {
                open.push(merged.len());
                merged.push(piece);
            }
        }
    }
    merged.into_iter().map(|piece| piece.slice).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(start_ns: u64, end_ns: u64, cut: &str) -> Piece {
        Piece {
            is_start_cut: cut.contains('<'),
            is_end_cut: cut.contains('>'),
            ..Piece::whole(TimeRange::new(start_ns, end_ns), "flush")
        }
    }

    fn times(pieces: Vec<Piece>) -> Vec<(u64, u64)> {
        let slices = merged(pieces).into_iter();
        slices
            .map(|slice| (slice.range.start_ns, slice.range.end_ns))
            .collect()
    }

    #[test]
    fn what_two_commits_saw_of_one_interval_is_one() {
        let seen = vec![piece(10, 30, ">"), piece(20, 50, "<"), piece(10, 50, "")];
        assert_eq!(times(seen), [(10, 50)]);
        let inner = vec![piece(10, 50, ""), piece(20, 30, "<>")];
        assert_eq!(times(inner), [(10, 50)]);
    }

    #[test]
    fn flushes_at_the_same_time_stay_apart() {
        let both = vec![piece(10, 50, ""), piece(20, 40, ""), piece(10, 45, "")];
        assert_eq!(times(both), [(10, 50), (10, 45), (20, 40)]);
        assert_eq!(
            times(vec![piece(10, 20, ">"), piece(20, 30, "<")]),
            [(10, 20), (20, 30)]
        );
    }
}
