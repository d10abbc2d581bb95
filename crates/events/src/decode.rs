//! From the bytes of a record to its meaning.

use bytemuck::Pod;
use thiserror::Error;

use crate::record::{
    Commit, File, FileId, Flush, Gap, Io, IoOp, Member, OffCpu, Record, Stack, SyncStage, Wake,
};
use crate::wire;

/// Why bytes are not a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum DecodeError {
    /// The bytes end before the record does.
    #[error("record cut short: {have} bytes where {need} are needed")]
    Truncated {
        /// Bytes there.
        have: usize,
        /// Bytes needed.
        need: usize,
    },
    /// The header names no known kind.
    #[error("unknown record kind {0}")]
    Kind(u32),
    /// A system call that is none of the traced ones.
    #[error("system call {0} is not a traced one")]
    Syscall(u32),
    /// An interval that ends before it starts, or wakes outside of itself.
    #[error("times out of order")]
    Order,
    /// Text that is not UTF-8.
    #[error("a name is not text")]
    Text,
}

/// Decodes one record; any bytes at all give a record or an error.
pub fn decode(bytes: &[u8]) -> Result<Record, DecodeError> {
    let header: wire::Header = take(bytes)?;
    match header.kind {
        wire::KIND_OFF_CPU => off_cpu(&take(bytes)?),
        wire::KIND_IO => io(&take(bytes)?),
        wire::KIND_COMMIT => commit(&take(bytes)?),
        wire::KIND_FILE => Ok(file(&take(bytes)?)),
        wire::KIND_STACK => stack(bytes),
        wire::KIND_FLUSH => flush(&take(bytes)?),
        wire::KIND_GAP => gap(&take(bytes)?),
        wire::KIND_MEMBER => member(&take(bytes)?),
        wire::KIND_SYNC_STAGE => sync_stage(&take(bytes)?),
        kind => Err(DecodeError::Kind(kind)),
    }
}

fn take<T: Pod>(bytes: &[u8]) -> Result<T, DecodeError> {
    let need = size_of::<T>();
    let head = bytes.get(..need).ok_or(DecodeError::Truncated {
        have: bytes.len(),
        need,
    })?;
    Ok(bytemuck::pod_read_unaligned(head))
}

fn off_cpu(raw: &wire::OffCpu) -> Result<Record, DecodeError> {
    let (out_ns, in_ns) = (raw.out_ns, raw.header.at_ns);
    let wake = match raw.wake_ns {
        0 => Wake::Unknown,
        at if at == out_ns && raw.waker_tid == raw.header.tid => Wake::Preempted,
        at_ns => Wake::By {
            at_ns,
            tid: raw.waker_tid,
            tgid: raw.waker_tgid,
            commit_ns: started(raw.waker_commit_ns),
            syscall: u16::try_from(raw.waker_syscall).ok(),
        },
    };
    let wake_in_order = match wake {
        Wake::By { at_ns, .. } => out_ns <= at_ns && at_ns <= in_ns,
        Wake::Preempted | Wake::Unknown => out_ns <= in_ns,
    };
    if !wake_in_order {
        return Err(DecodeError::Order);
    }
    Ok(Record::OffCpu(OffCpu {
        tid: raw.header.tid,
        out_ns,
        in_ns,
        wake,
        syscall: u16::try_from(raw.syscall).ok(),
        stack: u32::try_from(raw.stack).ok(),
    }))
}

fn io(raw: &wire::Io) -> Result<Record, DecodeError> {
    if raw.enter_ns > raw.header.at_ns {
        return Err(DecodeError::Order);
    }
    Ok(Record::Io(Io {
        tid: raw.header.tid,
        enter_ns: raw.enter_ns,
        exit_ns: raw.header.at_ns,
        file: FileId {
            dev: raw.dev,
            ino: raw.ino,
            generation: raw.generation,
        },
        op: IoOp::from_syscall(raw.syscall).ok_or(DecodeError::Syscall(raw.syscall))?,
        ret: raw.ret,
    }))
}

fn commit(raw: &wire::Commit) -> Result<Record, DecodeError> {
    if raw.start_ns > raw.header.at_ns {
        return Err(DecodeError::Order);
    }
    Ok(Record::Commit(Commit {
        tid: raw.header.tid,
        start_ns: raw.start_ns,
        end_ns: raw.header.at_ns,
    }))
}

fn flush(raw: &wire::Flush) -> Result<Record, DecodeError> {
    if raw.issue_ns > raw.header.at_ns {
        return Err(DecodeError::Order);
    }
    Ok(Record::Flush(Flush {
        dev: raw.dev,
        issue_ns: raw.issue_ns,
        done_ns: raw.header.at_ns,
    }))
}

fn gap(raw: &wire::Gap) -> Result<Record, DecodeError> {
    if raw.start_ns > raw.header.at_ns {
        return Err(DecodeError::Order);
    }
    Ok(Record::Gap(Gap {
        start_ns: raw.start_ns,
        end_ns: raw.header.at_ns,
    }))
}

/// The kernel side has no other word for "in no commit".
fn started(commit_ns: u64) -> Option<u64> {
    (commit_ns != 0).then_some(commit_ns)
}

fn member(raw: &wire::Member) -> Result<Record, DecodeError> {
    if raw.joined_ns.max(raw.leader_commit_ns) > raw.header.at_ns {
        return Err(DecodeError::Order);
    }
    Ok(Record::Member(Member {
        tid: raw.member_tid,
        leader: raw.header.tid,
        leader_commit_ns: started(raw.leader_commit_ns),
        joined_ns: raw.joined_ns,
        at_ns: raw.header.at_ns,
    }))
}

fn sync_stage(raw: &wire::SyncStage) -> Result<Record, DecodeError> {
    if raw.commit_ns > raw.header.at_ns {
        return Err(DecodeError::Order);
    }
    Ok(Record::SyncStage(SyncStage {
        tid: raw.header.tid,
        at_ns: raw.header.at_ns,
        commit_ns: started(raw.commit_ns),
        leads: raw.leads != 0,
    }))
}

fn file(raw: &wire::File) -> Record {
    let used = (raw.components as usize).min(wire::FILE_COMPONENTS);
    let mut names: Vec<String> = raw.names[..used].iter().map(|name| component(name)).collect();
    names.reverse();
    let id = FileId {
        dev: raw.dev,
        ino: raw.ino,
        generation: raw.generation,
    };
    Record::File(File {
        id,
        path: names.join("/"),
    })
}

fn component(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

fn stack(bytes: &[u8]) -> Result<Record, DecodeError> {
    let raw: wire::Stack = take(bytes)?;
    let text = &bytes[size_of::<wire::Stack>()..];
    let need = raw.bytes as usize;
    let text = text.get(..need).ok_or(DecodeError::Truncated {
        have: text.len(),
        need,
    })?;
    let text = std::str::from_utf8(text).map_err(|_| DecodeError::Text)?;
    let id = u32::try_from(raw.id).map_err(|_| DecodeError::Order)?;
    Ok(Record::Stack(Stack {
        id,
        frames: text.lines().map(str::to_owned).collect(),
    }))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::encode::{encode, header};

    fn wake(out: u64, gap: u64) -> impl Strategy<Value = Wake> {
        let woken = (
            0..=gap,
            0u32..50_000,
            1u32..50_000,
            any::<Option<u16>>(),
            any::<bool>(),
        )
            .prop_map(move |(after, tid, tgid, syscall, in_commit)| Wake::By {
                at_ns: out + after,
                tid,
                tgid,
                commit_ns: in_commit.then_some(out),
                syscall: syscall.map(|number| number % 500),
            });
        prop_oneof![Just(Wake::Preempted), Just(Wake::Unknown), woken]
    }

    fn off_cpus() -> impl Strategy<Value = Record> {
        (
            1u64..1 << 60,
            0u64..1 << 30,
            50_000u32..60_000,
            any::<Option<u16>>(),
            any::<Option<u16>>(),
        )
            .prop_flat_map(|(out_ns, gap, tid, syscall, stack)| {
                wake(out_ns, gap).prop_map(move |wake| {
                    Record::OffCpu(OffCpu {
                        tid,
                        out_ns,
                        in_ns: out_ns + gap,
                        wake,
                        syscall: syscall.map(|number| number % 500),
                        stack: stack.map(u32::from),
                    })
                })
            })
    }

    fn members() -> impl Strategy<Value = Record> {
        (
            any::<u32>(),
            any::<u32>(),
            any::<u32>(),
            any::<u32>(),
            any::<u32>(),
        )
            .prop_map(|(tid, leader, commit, joined, later)| {
                let (commit_ns, joined_ns) = (u64::from(commit), u64::from(joined));
                Record::Member(Member {
                    tid,
                    leader,
                    leader_commit_ns: started(commit_ns),
                    joined_ns,
                    at_ns: joined_ns.max(commit_ns) + u64::from(later),
                })
            })
    }

    fn sync_stages() -> impl Strategy<Value = Record> {
        (any::<u32>(), any::<u32>(), any::<u32>(), any::<bool>()).prop_map(|(tid, commit, later, leads)| {
            let commit_ns = u64::from(commit);
            Record::SyncStage(SyncStage {
                tid,
                at_ns: commit_ns + u64::from(later),
                commit_ns: started(commit_ns),
                leads,
            })
        })
    }

    fn records() -> impl Strategy<Value = Record> {
        let id = (any::<u32>(), any::<u64>(), any::<u32>()).prop_map(|(dev, ino, generation)| FileId {
            dev,
            ino,
            generation,
        });
        let io = (
            id.clone(),
            any::<u32>(),
            any::<u32>(),
            any::<i64>(),
            any::<bool>(),
        )
            .prop_map(|(file, enter, length, ret, fsync)| {
                Record::Io(Io {
                    tid: 7,
                    enter_ns: u64::from(enter),
                    exit_ns: u64::from(enter) + u64::from(length),
                    file,
                    op: if fsync { IoOp::Fsync } else { IoOp::Write },
                    ret,
                })
            });
        let file = (id, "[a-z#_0-9.]{1,20}(/[a-z#_0-9.]{1,20}){0,7}")
            .prop_map(|(id, path)| Record::File(File { id, path }));
        let stack = (0u32..1 << 20, proptest::collection::vec("[a-z_0-9]{1,30}", 0..20))
            .prop_map(|(id, frames)| Record::Stack(Stack { id, frames }));
        let commit = (any::<u32>(), any::<u32>(), any::<u32>()).prop_map(|(tid, start, length)| {
            let start_ns = u64::from(start);
            Record::Commit(Commit {
                tid,
                start_ns,
                end_ns: start_ns + u64::from(length),
            })
        });
        let flush = (any::<u32>(), any::<u32>(), any::<u32>()).prop_map(|(dev, issue, length)| {
            let issue_ns = u64::from(issue);
            Record::Flush(Flush {
                dev,
                issue_ns,
                done_ns: issue_ns + u64::from(length),
            })
        });
        let gap = (any::<u32>(), any::<u32>()).prop_map(|(start, length)| {
            let start_ns = u64::from(start);
            Record::Gap(Gap {
                start_ns,
                end_ns: start_ns + u64::from(length),
            })
        });
        prop_oneof![
            off_cpus(),
            io,
            commit,
            file,
            stack,
            flush,
            members(),
            sync_stages(),
            gap
        ]
    }

    proptest! {
        #[test]
        fn any_bytes_decode_or_are_refused(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
            let _ = decode(&bytes);
        }

        #[test]
        fn any_body_of_a_known_kind_decodes_or_is_refused(
            kind in 0u32..10,
            mut bytes in proptest::collection::vec(any::<u8>(), 16..600),
        ) {
            bytes[12..16].copy_from_slice(&kind.to_ne_bytes());
            let _ = decode(&bytes);
        }

        #[test]
        fn what_was_encoded_decodes_to_itself(record in records()) {
            let mut bytes = Vec::new();
            encode(&record, &mut bytes);
            prop_assert_eq!(decode(&bytes), Ok(record));
        }

        #[test]
        fn a_record_cut_short_is_refused(record in records(), cut in 1usize..16) {
            let mut bytes = Vec::new();
            encode(&record, &mut bytes);
            bytes.truncate(bytes.len() - cut);
            let refused = matches!(decode(&bytes), Err(DecodeError::Truncated { .. }));
            prop_assert!(refused);
        }
    }

    #[test]
    fn a_member_that_its_leader_wrote_before_it_joined_is_refused() {
        let member = |joined_ns, leader_commit_ns| wire::Member {
            header: header(20, 1, wire::KIND_MEMBER),
            joined_ns,
            leader_commit_ns,
            ..wire::Member::default()
        };
        for raw in [member(21, 0), member(0, 21)] {
            assert_eq!(decode(bytemuck::bytes_of(&raw)), Err(DecodeError::Order));
        }
        assert!(decode(bytemuck::bytes_of(&member(20, 20))).is_ok());
    }

    #[test]
    fn a_stage_that_is_reached_before_its_commit_began_is_refused() {
        let raw = wire::SyncStage {
            header: header(20, 1, wire::KIND_SYNC_STAGE),
            commit_ns: 21,
            ..wire::SyncStage::default()
        };
        assert_eq!(decode(bytemuck::bytes_of(&raw)), Err(DecodeError::Order));
    }

    #[test]
    fn a_wake_outside_of_its_interval_is_refused() {
        let raw = wire::OffCpu {
            wake_ns: 5,
            out_ns: 10,
            ..wire::OffCpu::default()
        };
        let mut raw = raw;
        raw.header = header(20, 1, wire::KIND_OFF_CPU);
        assert_eq!(decode(bytemuck::bytes_of(&raw)), Err(DecodeError::Order));
    }
}
