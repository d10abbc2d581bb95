//! What runs saw of fsyncs, and how much more of it with a delay.

use logtrace_common::FileClass;
use logtrace_events::IoOp;
use logtrace_report::document::Document;

use crate::common::total;

/// Mean nanoseconds that one run saw.
#[derive(Debug)]
pub(crate) struct Seen {
    /// An fsync of the class that may be delayed.
    delayed: f64,
    /// An fsync of the other log.
    other: f64,
    /// What a commit is charged for fsyncs of the first class, whoever did them.
    charged: f64,
    /// The known delay, by the clock of who makes it.
    known: f64,
}

/// What one run saw more than another one, as parts of the delay.
#[derive(Debug)]
pub(crate) struct Growth {
    /// An fsync of the delayed class.
    pub(crate) delayed: f64,
    /// An fsync of the other log.
    pub(crate) other: f64,
    /// What a commit is charged for fsyncs of the delayed class.
    pub(crate) charged: f64,
}

impl Seen {
    /// From a run's document.
    pub(crate) fn of(document: &Document, delayed: FileClass, other: FileClass, known: f64) -> Self {
        let commits = document.commits.as_ref().unwrap().count;
        let charged = total(document, |cause| cause.cause.io == Some((delayed, IoOp::Fsync)));
        Self {
            delayed: mean_fsync(document, delayed),
            other: mean_fsync(document, other),
            charged: charged as f64 / commits as f64,
            known,
        }
    }
}

impl Growth {
    /// Of a run with the delay over one without it.
    pub(crate) fn of(without: &Seen, with: &Seen) -> Self {
        let part = |of: fn(&Seen) -> f64| (of(with) - of(without)) / with.known;
        Self {
            delayed: part(|seen| seen.delayed),
            other: part(|seen| seen.other),
            charged: part(|seen| seen.charged),
        }
    }
}

/// The median of each figure.
pub(crate) fn medians(pairs: &[Growth]) -> Growth {
    let median = |of: fn(&Growth) -> f64| {
        let mut values: Vec<f64> = pairs.iter().map(of).collect();
        values.sort_by(f64::total_cmp);
        f64::midpoint(values[(values.len() - 1) / 2], values[values.len() / 2])
    };
    Growth {
        delayed: median(|pair| pair.delayed),
        other: median(|pair| pair.other),
        charged: median(|pair| pair.charged),
    }
}

fn mean_fsync(document: &Document, class: FileClass) -> f64 {
    let fsyncs = document
        .files()
        .iter()
        .filter(|file| file.class == class && file.op == IoOp::Fsync);
    let (count, total) = fsyncs.fold((0, 0), |(count, total), file| {
        (count + file.count, total + file.total)
    });
    assert!(count > 0, "no fsync of {class}: {:?}", document.files);
    total as f64 / count as f64
}
