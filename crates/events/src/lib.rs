//! Types that all parts of logtrace share: the records that the kernel side emits and their decoding, the driver's request
//! records, and counted losses.
//!
//! This crate is the leaf of the workspace: it imports none of the others, reads no clock and decides no cause.
//!
//! Times are nanoseconds of `CLOCK_MONOTONIC` everywhere (`bpf_ktime_get_ns` on the kernel side).

// What reads the bytes of others takes no part of them without looking whether it is there.
#[cfg_attr(
    not(test),
    deny(
        clippy::arithmetic_side_effects,
        clippy::indexing_slicing,
        clippy::string_slice
    )
)]
mod decode;
mod encode;
#[cfg(test)]
mod fuzz;
mod record;
#[cfg_attr(
    not(test),
    deny(
        clippy::arithmetic_side_effects,
        clippy::indexing_slicing,
        clippy::string_slice
    )
)]
mod recording;
mod request;
#[cfg_attr(
    not(test),
    deny(
        clippy::arithmetic_side_effects,
        clippy::indexing_slicing,
        clippy::string_slice
    )
)]
mod request_file;
pub mod wire;

pub use decode::{DecodeError, decode};
pub use encode::{encode, encoded};
pub use record::{
    AsyncCommit, Commit, CpuSample, CpuStacks, CpuWait, File, FileId, Flush, FlushStage, Io, IoOp,
    LOCK_OF_ALL_OBJECTS, Losses, Member, OffCpu, OtherWrites, Process, QueueEntry, Record, ServerWait, Stack,
    Statement, ThreadEnd, Tid, Wake,
};
pub use recording::{Clocks, Entry, RecordingError, RecordingHeader, RecordingReader, RecordingWriter};
pub use request::{Outcome, Request};
pub use request_file::{RequestFileError, RequestsOfRun, RequestsWriter};
