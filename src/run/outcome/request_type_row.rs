//! The row of a request type in the document; pure.

use logtrace_driver::Kind;
use logtrace_report::distribution::Distribution;
use logtrace_report::document::KindRow;

/// What was measured of one kind of request.
pub(crate) fn kind_row(name: &str, kind: &Kind) -> KindRow {
    KindRow {
        name: name.into(),
        done: kind.done,
        rolled_back: kind.rolled_back,
        failed: kind.failed,
        service: Distribution::from(&kind.service),
        response: Distribution::from(&kind.response),
    }
}
