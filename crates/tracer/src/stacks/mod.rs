//! Stacks of the kernel's and the server's functions: how to find a caller in the server, and the functions' names.

// What reads programs takes no part of them without looking whether it is there.
#[cfg_attr(
    not(test),
    deny(
        clippy::arithmetic_side_effects,
        clippy::indexing_slicing,
        clippy::string_slice
    )
)]
pub(crate) mod function_names;
pub(crate) mod kernel_frames;
pub(crate) mod kernel_symbols;
#[cfg_attr(
    not(test),
    deny(
        clippy::arithmetic_side_effects,
        clippy::indexing_slicing,
        clippy::string_slice
    )
)]
pub(crate) mod lock_calls;
#[cfg_attr(
    not(test),
    deny(
        clippy::arithmetic_side_effects,
        clippy::indexing_slicing,
        clippy::string_slice
    )
)]
pub(crate) mod mapped_files;
#[cfg_attr(
    not(test),
    deny(
        clippy::arithmetic_side_effects,
        clippy::indexing_slicing,
        clippy::string_slice
    )
)]
pub(crate) mod nameless;
pub(crate) mod server_code;
pub(crate) mod server_frames;
pub(crate) mod tables;
#[cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice))]
pub(crate) mod unwind_rows;

use std::collections::HashSet;

use bytemuck::AnyBitPattern;
use logtrace_events::{Record, Stack, encoded, wire};

use crate::stacks::kernel_frames::KernelFrames;
use crate::stacks::server_frames::ServerFrames;

/// Turns the stack ids in records into [`Record::Stack`] and [`Record::ServerStack`].
pub(crate) struct StackNames {
    kernel: KernelFrames,
    server: ServerFrames,
    named: HashSet<StackId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum StackId {
    Kernel(u32),
    Server(u32),
}

impl StackNames {
    pub(crate) fn new(kernel: KernelFrames, server: ServerFrames) -> Self {
        Self {
            kernel,
            server,
            named: HashSet::new(),
        }
    }

    /// Returns the encoded stacks that this record is the first to use.
    pub(crate) fn first_uses(&mut self, record: &[u8]) -> impl Iterator<Item = Vec<u8>> {
        stacks_of(record)
            .into_iter()
            .flatten()
            .filter_map(|stack| self.first_use(stack))
    }

    fn first_use(&mut self, stack: StackId) -> Option<Vec<u8>> {
        if !self.named.insert(stack) {
            return None;
        }
        let record = match stack {
            StackId::Kernel(id) => Record::Stack(Stack {
                id,
                frames: self.kernel.frames(id),
            }),
            StackId::Server(id) => Record::ServerStack(Stack {
                id,
                frames: self.server.frames(id),
            }),
        };
        Some(encoded(&record))
    }
}

fn stacks_of(record: &[u8]) -> [Option<StackId>; 2] {
    let stacks = match beginning::<wire::Header>(record).map(|header| header.kind) {
        Some(wire::KIND_OFF_CPU) => beginning::<wire::OffCpu>(record).map(|off| [kernel(off.stack), None]),
        Some(wire::KIND_SERVER_WAIT) => {
            beginning::<wire::ServerWait>(record).map(|wait| [None, server(wait.stack)])
        }
        Some(wire::KIND_CPU_SAMPLE) => beginning::<wire::CpuSample>(record)
            .map(|sample| [kernel(sample.kernel_stack), server(sample.server_stack)]),
        _ => None,
    };
    stacks.unwrap_or_default()
}

fn kernel(id: i32) -> Option<StackId> {
    u32::try_from(id).ok().map(StackId::Kernel)
}

fn server(id: i32) -> Option<StackId> {
    u32::try_from(id).ok().map(StackId::Server)
}

fn beginning<T: AnyBitPattern>(record: &[u8]) -> Option<T> {
    let bytes = record.get(..size_of::<T>())?;
    Some(bytemuck::pod_read_unaligned(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(kind: u32) -> wire::Header {
        wire::Header {
            kind,
            ..wire::Header::default()
        }
    }

    #[test]
    fn a_record_has_the_stacks_that_were_taken() {
        let [taken, not_taken] = [7, -1].map(|stack| wire::OffCpu {
            header: header(wire::KIND_OFF_CPU),
            stack,
            ..wire::OffCpu::default()
        });
        let wait = wire::ServerWait {
            header: header(wire::KIND_SERVER_WAIT),
            stack: 8,
            ..wire::ServerWait::default()
        };
        let sample = wire::CpuSample {
            header: header(wire::KIND_CPU_SAMPLE),
            server_stack: 8,
            kernel_stack: 7,
        };
        let [kernel, server] = [StackId::Kernel(7), StackId::Server(8)].map(Some);
        assert_eq!(stacks_of(bytemuck::bytes_of(&taken)), [kernel, None]);
        assert_eq!(stacks_of(bytemuck::bytes_of(&not_taken)), [None, None]);
        assert_eq!(stacks_of(bytemuck::bytes_of(&wait)), [None, server]);
        assert_eq!(stacks_of(bytemuck::bytes_of(&sample)), [kernel, server]);
        assert_eq!(stacks_of(&bytemuck::bytes_of(&taken)[..20]), [None, None]);
    }
}
