//! Whatever is written is read back, and what no kernel side writes is refused.

use proptest::prelude::*;

use super::*;
use crate::encode::{encoded, header};

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

fn cpu_waits() -> impl Strategy<Value = CpuWait> {
    let processes = any::<u32>().prop_map(CpuWait::Process);
    let others = proptest::sample::select(vec![
        CpuWait::Unknown,
        CpuWait::Idle,
        CpuWait::Server,
        CpuWait::LoadGenerator,
        CpuWait::Logtrace,
        CpuWait::Kernel,
        CpuWait::Quota,
    ]);
    prop_oneof![processes, others]
}

fn off_cpus() -> impl Strategy<Value = Record> {
    (
        1u64..1 << 60,
        0u64..1 << 30,
        50_000u32..60_000,
        any::<Option<u16>>(),
        any::<Option<u16>>(),
        cpu_waits(),
    )
        .prop_flat_map(|(out_ns, gap, tid, syscall, stack, cpu_wait)| {
            wake(out_ns, gap).prop_map(move |wake| {
                Record::OffCpu(OffCpu {
                    tid,
                    out_ns,
                    in_ns: out_ns + gap,
                    wake,
                    syscall: syscall.map(|number| number % 500),
                    stack: stack.map(u32::from),
                    cpu_wait,
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
        .prop_map(|(tid, leader, commit, entered, later)| {
            let (commit_ns, entered_ns) = (u64::from(commit), u64::from(entered));
            Record::Member(Member {
                tid,
                leader,
                leader_commit_ns: started(commit_ns),
                entered_ns,
                at_ns: entered_ns.max(commit_ns) + u64::from(later),
            })
        })
}

fn queue_entries() -> impl Strategy<Value = Record> {
    (any::<u32>(), any::<u64>()).prop_map(|(tid, at_ns)| Record::QueueEntry(QueueEntry { tid, at_ns }))
}

fn thread_ends() -> impl Strategy<Value = Record> {
    (any::<u32>(), any::<u64>()).prop_map(|(tid, at_ns)| Record::ThreadEnd(ThreadEnd { tid, at_ns }))
}

fn pooled() -> impl Strategy<Value = Record> {
    (any::<[u32; 6]>(), 0..3_u8).prop_map(|([tid, waker, start, in_function, after, of_waker], which)| {
        let [start_ns, in_function, after] = [start, in_function, after].map(|ns| u64::from(ns) + 1);
        let returned_ns = start_ns + in_function;
        let end_ns = returned_ns + after;
        match which {
            0 => Record::CommitReturn(Commit {
                tid,
                start_ns,
                end_ns,
            }),
            1 => Record::AsyncCommit(AsyncCommit {
                commit: Commit {
                    tid,
                    start_ns,
                    end_ns,
                },
                returned_ns,
                waker,
                waker_commit_ns: started(u64::from(of_waker).min(end_ns)),
            }),
            _ => Record::Statement(Statement {
                tid,
                start_ns,
                end_ns: returned_ns,
                at_ns: end_ns,
            }),
        }
    })
}

fn flush_stages() -> impl Strategy<Value = Record> {
    (any::<u32>(), any::<u32>(), any::<u32>()).prop_map(|(tid, commit, later)| {
        let commit_ns = u64::from(commit);
        Record::FlushStage(FlushStage {
            tid,
            at_ns: commit_ns + u64::from(later),
            commit_ns: started(commit_ns),
        })
    })
}

fn stacks() -> impl Strategy<Value = Record> {
    let frames = proptest::collection::vec("[a-z_0-9]{1,30}", 0..20);
    (0u32..1 << 20, frames, any::<bool>()).prop_map(|(id, frames, of_server)| {
        let stack = Stack { id, frames };
        if of_server {
            Record::ServerStack(stack)
        } else {
            Record::Stack(stack)
        }
    })
}

fn server_waits() -> impl Strategy<Value = Record> {
    let ids = (any::<u32>(), any::<Option<u16>>());
    (ids, any::<u32>()).prop_map(|((tid, stack), in_ns)| {
        Record::ServerWait(ServerWait {
            tid,
            in_ns: u64::from(in_ns),
            read_ns: u64::from(in_ns) + 5,
            stack: stack.map(u32::from),
        })
    })
}

fn cpu_samples() -> impl Strategy<Value = Record> {
    (any::<u32>(), any::<u64>(), any::<[Option<u16>; 2]>()).prop_map(|(tid, at_ns, [server, kernel])| {
        let [server, kernel] = [server, kernel].map(|id| id.map(u32::from));
        let stacks = CpuStacks { server, kernel };
        Record::CpuSample(CpuSample { tid, at_ns, stacks })
    })
}

fn processes() -> impl Strategy<Value = Record> {
    (any::<u32>(), "[a-z#_0-9.]{0,15}").prop_map(|(tgid, name)| Record::Process(Process { tgid, name }))
}

fn other_writes() -> impl Strategy<Value = Record> {
    (any::<[u64; 2]>(), any::<[u32; 2]>(), "[a-z#_0-9.]{0,15}").prop_map(
        |([at_ns, bytes], [tgid, dev], name)| {
            Record::OtherWrites(OtherWrites {
                at_ns,
                tgid,
                dev,
                bytes,
                name,
            })
        },
    )
}

pub(crate) fn records() -> impl Strategy<Value = Record> {
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
        Record::Gap(TimeRange {
            start_ns,
            end_ns: start_ns + u64::from(length),
        })
    });
    prop_oneof![
        off_cpus(),
        io,
        commit,
        file,
        stacks(),
        flush,
        members(),
        queue_entries(),
        flush_stages(),
        gap,
        prop_oneof![
            server_waits(),
            processes(),
            cpu_samples(),
            thread_ends(),
            other_writes(),
            pooled()
        ]
    ]
}

proptest! {
    #[test]
    fn any_bytes_decode_or_are_refused(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        let _ = decode(&bytes);
    }

    #[test]
    fn any_body_of_a_known_kind_decodes_or_is_refused(
        kind in 0u32..21,
        mut bytes in proptest::collection::vec(any::<u8>(), 16..600),
    ) {
        bytes[12..16].copy_from_slice(&kind.to_ne_bytes());
        let _ = decode(&bytes);
    }

    #[test]
    fn what_was_encoded_decodes_to_itself(record in records()) {
        prop_assert_eq!(decode(&encoded(&record)), Ok(record));
    }

    #[test]
    fn a_record_cut_short_is_refused(record in records(), cut in 1usize..16) {
        let mut bytes = encoded(&record);
        bytes.truncate(bytes.len() - cut);
        let refused = matches!(decode(&bytes), Err(DecodeError::Truncated { .. }));
        prop_assert!(refused);
    }
}

#[test]
fn a_member_that_its_leader_wrote_before_it_entered_is_refused() {
    let member = |entered_ns, leader_commit_ns| wire::Member {
        header: header(20, 1, wire::KIND_MEMBER),
        entered_ns,
        leader_commit_ns,
        ..wire::Member::default()
    };
    for raw in [member(21, 0), member(0, 21)] {
        assert_eq!(decode(bytemuck::bytes_of(&raw)), Err(DecodeError::Order));
    }
    assert!(decode(bytemuck::bytes_of(&member(20, 20))).is_ok());
}

#[test]
fn a_commit_that_returned_after_its_end_and_a_statement_that_ended_later_than_known_are_refused() {
    let commit = wire::AsyncCommit {
        header: header(20, 1, wire::KIND_ASYNC_COMMIT),
        returned_ns: 21,
        ..wire::AsyncCommit::default()
    };
    let statement = wire::Statement {
        header: header(20, 1, wire::KIND_STATEMENT),
        start_ns: 10,
        end_ns: 21,
    };
    for bytes in [bytemuck::bytes_of(&commit), bytemuck::bytes_of(&statement)] {
        assert_eq!(decode(bytes), Err(DecodeError::Order));
    }
}

#[test]
fn a_stage_that_is_reached_before_its_commit_began_is_refused() {
    let raw = wire::FlushStage {
        header: header(20, 1, wire::KIND_FLUSH_STAGE),
        commit_ns: 21,
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
