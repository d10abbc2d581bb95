//! Records for the timelines alone.

use logtrace_common::FileClass;
use logtrace_events::Record;
use logtrace_report::timelines::{Timelines, Unmatched};

/// Hands a record to the timelines, as the analysis does; every file is an other one.
pub(crate) fn push(timelines: &mut Timelines, record: &Record) -> Result<(), Unmatched> {
    match record {
        Record::OffCpu(off) => timelines.push_off_cpu(off),
        Record::Io(io) => timelines.push_io(io, FileClass::Other),
        Record::Stack(stack) => timelines.push_stack(stack.clone()),
        Record::Commit(commit) => timelines.push_commit(commit),
        Record::Flush(flush) => timelines.push_flush(*flush),
        Record::Member(member) => timelines.push_member(member),
        Record::SyncStage(step) => timelines.push_sync_stage(step),
        Record::Gap(_) => {
            timelines.interrupt();
            Ok(())
        }
        Record::File(_) => Ok(()),
    }
}
