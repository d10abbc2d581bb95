//! Check that the segments of a commit are all of its time.

use logtrace_common::TimeRange;
use logtrace_events::Tid;

use crate::causes::Cause;
use crate::charging::Segment;

/// Returns whether the segments cover the commit: none is empty, each begins where the one before ended, and the first and
/// last are at the edges of the commit. They then sum to its duration.
pub(crate) fn covers(segments: &[Segment], whole: TimeRange) -> bool {
    let mut at_ns = whole.start_ns;
    for segment in segments {
        if segment.range.start_ns != at_ns || segment.range.is_empty() {
            return false;
        }
        at_ns = segment.range.end_ns;
    }
    at_ns == whole.end_ns
}

/// Returns the segment of a time that nothing explains.
pub(crate) fn unexplained(tid: Tid, range: TimeRange) -> Segment {
    Segment {
        range,
        tid,
        cause: Cause::UNEXPLAINED,
        frames: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn segment(start_ns: u64, end_ns: u64) -> Segment {
        unexplained(1, TimeRange::new(start_ns, end_ns))
    }

    #[test]
    fn only_segments_without_gap_or_overlap_cover_a_commit() {
        let whole = TimeRange::new(10, 30);
        assert!(covers(&[segment(10, 30)], whole));
        assert!(covers(&[segment(10, 20), segment(20, 30)], whole));
        for wrong in [
            vec![],
            vec![segment(10, 29)],
            vec![segment(9, 30)],
            vec![segment(10, 31)],
            vec![segment(10, 20), segment(21, 30)],
            vec![segment(10, 20), segment(19, 30)],
            vec![segment(10, 20), segment(20, 20), segment(20, 30)],
            vec![segment(20, 30), segment(10, 20)],
        ] {
            assert!(!covers(&wrong, whole), "{wrong:?}");
        }
        assert!(covers(&[], TimeRange::new(10, 10)));
    }
}
