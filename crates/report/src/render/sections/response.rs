//! What response times were made of, from the client to the commit.

use strum::IntoEnumIterator;

use crate::document::Document;
use crate::render::table::Table;
use crate::requests::parts::Part;
use crate::units;

/// One row for each part, in the order of time, and their sum; `None` where requests were not joined.
pub(crate) fn table(document: &Document) -> Option<Table> {
    let response = document
        .response
        .as_ref()
        .filter(|response| response.requests > 0)?;
    let parts = [
        response.lag,
        response.client,
        response.before_commit,
        response.commit,
        response.after_commit,
    ];
    let parts = Part::iter().map(Part::as_str).zip(parts);
    let row = |(name, total): (&str, u64)| {
        let share = units::share(total, response.total).unwrap_or(0.0);
        vec![
            name.to_owned(),
            units::mean(total, response.requests).map_or_else(|| "-".to_owned(), units::duration),
            format!("{:.1} %", share * 100.0),
        ]
    };
    Some(Table {
        header: vec!["", "mean", "share"],
        words: 1,
        rows: parts.chain([("response", response.total)]).map(row).collect(),
    })
}
