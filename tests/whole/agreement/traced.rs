//! What `logtrace trace` says of a server while something else happens.

use logtrace_report::document::Document;

use crate::common::{Ran, Running};
use logtrace_laboratory::foreign::Foreign;

/// The tracer works before `during` starts and until it has ended; its window holds all of it if that begins with
/// something that takes longer than reading the tracer's first account.
pub(crate) fn traced<T>(foreign: &Foreign, during: impl FnOnce() -> T) -> (Document, T) {
    let (ran, done) = traced_with(foreign, "", during);
    (ran.document(), done)
}

/// The same with options of `logtrace trace`.
pub(crate) fn traced_with<T>(foreign: &Foreign, options: &str, during: impl FnOnce() -> T) -> (Ran, T) {
    let tracing = Running::start(&format!("trace --pid {} {options}", foreign.pid()));
    foreign.wait_until_traced();
    let done = during();
    tracing.interrupt();
    let ran = tracing.ended();
    assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
    (ran, done)
}
