//! Document of a join; pure.

use logtrace_attribution::recorded::Recorded;
use logtrace_report::document::{Caveat, Document, Join, Response, Server};

use crate::measurement::caveat::{
    CaveatKind, OF_BREAKDOWN, breakdown_caveats, is_degrading, is_one_of, share,
};

/// Largest share of the requests that may have no parts.
const UNJOINED_SHARE: f64 = 0.01;

/// Caveats of a trace that say something about all of its time, and not about the window of a run.
const OF_ITS_WINDOW: [CaveatKind; 3] = [
    CaveatKind::CommitsUnderWay,
    CaveatKind::Interrupted,
    CaveatKind::NoCommits,
];

/// Parts of a join.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parts<'a> {
    pub(crate) run: &'a Document,
    pub(crate) trace: &'a Document,
    /// Trace in the window of the run.
    pub(crate) explained: &'a Recorded,
    /// Time of the window that the trace does not cover.
    pub(crate) missed_ns: u64,
}

/// Returns the document of a join: load and latencies of the run; machine, commits and causes of the trace.
pub(crate) fn document(parts: &Parts<'_>, join: Join) -> Document {
    let Parts {
        run,
        trace,
        explained,
        ..
    } = parts;
    let mut document = Document {
        logtrace: env!("CARGO_PKG_VERSION").into(),
        host: trace.host.clone(),
        server: server(&run.server, &trace.server),
        join: Some(join),
        tracing: trace.tracing.clone(),
        tracer: trace
            .tracer
            .as_ref()
            .map(|tracer| tracer.explained_again(&explained.breakdown, explained.undecodable)),
        ..(*run).clone()
    };
    document.set_breakdown(&explained.breakdown, trace.traced_parts());
    document.caveats = caveats(parts, &document);
    document
}

/// Returns whether scripts must not use a join.
pub fn is_degraded(document: &Document) -> bool {
    document.caveats.iter().any(is_degrading)
}

/// Returns the server on its machine, with the settings that the run read.
fn server(run: &Server, trace: &Server) -> Server {
    let mut settings = trace.settings.clone();
    settings.extend(run.settings.clone());
    Server {
        settings,
        ..trace.clone()
    }
}

fn caveats(parts: &Parts<'_>, document: &Document) -> Vec<Caveat> {
    let of_run = parts.run.caveats.iter();
    let of_run = of_run.filter(|caveat| !is_one_of(caveat, &[CaveatKind::RemoteServer]));
    let of_trace = parts.trace.caveats.iter();
    let of_trace =
        of_trace.filter(|caveat| !is_one_of(caveat, &OF_ITS_WINDOW) && !is_one_of(caveat, &OF_BREAKDOWN));
    let mut caveats: Vec<Caveat> = of_run.chain(of_trace).cloned().collect();
    caveats.extend(partly_joined(parts, &parts.explained.breakdown.response));
    caveats.extend(breakdown_caveats(document));
    caveats
}

/// Returns a caveat if the trace misses a part of the window, or many requests have no parts.
fn partly_joined(parts: &Parts<'_>, response: &Response) -> Option<Caveat> {
    let unjoined = response.unjoined;
    let of = response.requests + unjoined + response.untraced;
    let mut seen = Vec::new();
    if parts.missed_ns > 0 {
        let missed_s = parts.missed_ns as f64 / 1e9;
        seen.push(format!(
            "the trace misses {missed_s:.1} s of the run: start it before the run, and end it after the run"
        ));
    }
    if share(unjoined, of) > UNJOINED_SHARE {
        seen.push(format!(
            "{unjoined} of {of} requests are not in the trace, and have no parts"
        ));
    }
    (!seen.is_empty()).then(|| CaveatKind::PartlyJoined.caveat(seen.join("; ")))
}
