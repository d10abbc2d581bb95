//! Parts of the response times, from the client to the commit.

use logtrace_attribution::breakdown::Part;
use logtrace_common::{Flavor, units};
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

/// Returns that a traced run has no parts of its response times, why, and what to do.
pub(crate) fn absent(document: &Document) -> Option<String> {
    let reason = reason(document)?;
    Some(format!(
        "The parts of the response times, from lag to commit, are unknown: {reason}"
    ))
}

/// Returns why a traced run has no parts of its response times, and what to do.
pub(crate) fn reason(document: &Document) -> Option<String> {
    let is_looked_for = document.commits.is_some()
        && document.driver.as_ref().is_some_and(|driver| driver.done > 0)
        && document.response.is_none_or(|response| response.requests == 0)
        // Bursts and losses may have missed all requests; caveats say so.
        && document.gaps().is_none()
        && document.tracer.as_ref().is_none_or(|tracer| tracer.lost == 0);
    if !is_looked_for {
        return None;
    }
    Some(match (document.server.thread_pool(), document.server.flavor) {
        // MySQL's pool is a plugin.
        (Some(handling), Flavor::MySql) => format!("{} without the plugin thread_pool", of_pool(handling)),
        (Some(handling), Flavor::MariaDb) => {
            format!("{} with thread_handling=one-thread-per-connection", of_pool(handling))
        }
        (None, Flavor::MySql) => "the server does not say which thread serves a connection. Start it with \
             performance_schema=ON, and GRANT SELECT ON performance_schema.threads to the account of the load"
            .to_owned(),
        (None, Flavor::MariaDb) => "the server does not say which thread serves a connection \
             (information_schema.PROCESSLIST, TID), or the thread is in another PID namespace. Run logtrace where the server's \
             processes are seen"
            .to_owned(),
    })
}

fn of_pool(handling: &str) -> String {
    format!(
        "a pool of threads serves the connections (thread_handling={handling}), so no thread belongs to a request. Start the \
         server"
    )
}
