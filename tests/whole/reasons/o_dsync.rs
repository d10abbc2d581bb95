//! A log that each write syncs (`O_DSYNC`): what an fsync waits for elsewhere, the write waits for.

use logtrace_attribution::cause::Wait;
use logtrace_common::FileClass;
use logtrace_events::IoOp;
use logtrace_report::document::CauseRow;

use crate::common::sound::assert_sound;
use crate::common::{beside_others, run, share};

#[test]
fn a_redo_log_that_is_synced_by_its_writes_is_waited_for_in_them() {
    let _turn = beside_others();
    let ran = run(
        "--workload update_key --max --connections 8 --duration 2s --warmup 500ms --server mysql --set \
         innodb_flush_method=O_DSYNC",
    );
    let document = ran.good();
    assert_sound(&document);
    let waits_for_disk = |cause: &CauseRow| {
        let wait = cause.cause.wait;
        matches!(
            wait,
            Wait::DeviceFlush | Wait::JournalCommit | Wait::DataWriteback
        )
    };
    let is_of = |cause: &CauseRow, op| cause.cause.io == Some((FileClass::Redo, op));
    let written = share(&document, |cause| {
        is_of(cause, IoOp::Write) && waits_for_disk(cause)
    });
    let synced = share(&document, |cause| is_of(cause, IoOp::Fsync));
    assert!(
        written > 0.05 && synced < written / 5.0,
        "{written} in writes, {synced} in fsyncs"
    );
}
