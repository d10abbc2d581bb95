//! What `logtrace trace` says of a server while something else happens.

use logtrace_report::document::Document;

use crate::common::Running;
use crate::common::foreign::Foreign;

/// The tracer works before `during` starts and until it has ended; its window holds all of it if that begins with
/// something that takes longer than reading the tracer's first account.
pub(crate) fn traced<T>(foreign: &Foreign, during: impl FnOnce() -> T) -> (Document, T) {
    let tracing = Running::start(&format!("trace --pid {}", foreign.pid()));
    foreign.wait_until_traced();
    let done = during();
    tracing.interrupt();
    let ran = tracing.ended();
    assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
    (ran.document(), done)
}
