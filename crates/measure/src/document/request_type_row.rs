//! Row of a request type in the document; pure.

use logtrace_attribution::breakdown::Distribution;
use logtrace_driver::Kind;
use logtrace_report::document::KindRow;

/// Returns the row of one request type.
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
