//! Parts of the response times, from the client to the commit.

use logtrace_attribution::breakdown::Part;
use logtrace_common::units;
use strum::IntoEnumIterator;

use crate::document::Document;
use crate::render::table::Table;

/// Returns the parts in the order of time and their sum, or `None` if no request was joined.
pub(crate) fn table(document: &Document) -> Option<Table> {
    let of = document.response.filter(|response| response.requests > 0)?;
    let parts = [of.lag, of.client, of.before_commit, of.commit, of.after_commit];
    let parts = Part::iter().map(Part::as_str).zip(parts);
    let rows = parts.chain([("response", of.total)]).map(|(name, total)| {
        vec![
            name.to_owned(),
            units::mean_duration(total, of.requests),
            units::percent(total, of.total),
        ]
    });
    Table::new(1, ["", "mean", "share"], rows)
}
