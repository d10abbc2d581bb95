//! Timelines drawn as text, one cell for each 10 ns.
//!
//! ```text
//! L cpu    |==ww=djjr===|
//! L io     |  BBBBBBBB  |
//! L commit | CCCCCCCCCC |
//! ```
//!
//! A thread is a capital letter, or a letter outside of ASCII. Its `cpu` row:
//!
//! | cell | the thread |
//! |---|---|
//! | `=` | runs |
//! | `p` | was preempted |
//! | `r` | is runnable after a wake-up |
//! | `A`-`Z` | waits until that thread wakes it by a system call; inside an I/O call, for a lock of the file system |
//! | `Ä`-`Ü` | waits until that thread wakes it by a system call; inside an I/O call, with no stack |
//! | `w` `j` `d` | waits inside an I/O call: data writeback, journal commit, device flush |
//! | `u` `n` | the same with a stack that no rule knows, with no stack |
//! | `i` | waits for the device in a call that reads |
//! | `t` `f` | sleeps, waits for a futex until its time-out |
//! | `o` | the same, in the function in which MySQL waits for its log threads |
//! | `c` `a` | waits for the client, for asynchronous I/O |
//! | `x` `?` | waits for a futex that another process wakes, that nobody was seen to wake |
//!
//! A row `in` has the function of the server in which the thread waits, where that is known (`functions` in stacks.rs).
//!
//! A row `acks` says of a thread that it receives the acknowledgements of replicas. A row `lost` marks with `L` when records were lost.
//!
//! The `group` row: a letter from when the thread entered a group until that thread, its leader, states it. The `queue`
//! row: `j` where the thread enters the queue of MySQL's flush stage, `l` where it takes it.
//!
//! The `io` row: `B` binlog fsync, `b` binlog write, `R` redo fsync, `D` read of data. The `commit` row: `C`. The `flush` row of a device:
//! `F` while it flushes; a wait for it ends where a flush does. The `gap` row of the tracer: `G` while it does not look;
//! what has time in there is not seen.

use logtrace_attribution::analysis::{Analysis, AnalysisConfig};
use logtrace_attribution::breakdown::Groups;
use logtrace_attribution::explain::{Memory, Segment, explain};
use logtrace_attribution::timelines::Timelines;
use logtrace_common::{FileClass, TimeRange};
use logtrace_events::{
    Commit, CpuWait, File, FileId, Flush, FlushStage, Io, IoOp, Member, OffCpu, QueueEntry, Record,
    ServerWait, ThreadEnd, Tid, Wake,
};
use logtrace_testkit::synthetic;

use super::stacks::{functions, stack_of, stacks};

const CELL_NS: u64 = 10;
const ORIGIN_NS: u64 = 1_000;
const SERVER: u32 = 1;
const FUTEX: u16 = 202;
const BINLOG: FileId = FileId {
    dev: 0,
    ino: 0,
    generation: 0,
};

/// A drawn server, as the records that would come from it.
pub(crate) struct Drawing {
    records: Vec<Record>,
    lost: Vec<TimeRange>,
    ack_receivers: Vec<Tid>,
}

pub(crate) struct Row {
    pub(crate) thread: char,
    pub(crate) kind: String,
    pub(crate) cells: Vec<char>,
}

impl Drawing {
    pub(crate) fn new(text: &str) -> Self {
        let rows: Vec<Row> = text
            .lines()
            .filter(|line| !line.trim().is_empty())
            .map(row)
            .collect();
        let mut records = Vec::new();
        // What closes together is reported from the innermost out.
        for kind in ["gap", "flush", "cpu", "io", "group", "queue", "commit"] {
            for row in rows.iter().filter(|row| row.kind == kind) {
                records.extend(row_records(row, &rows));
            }
        }
        records.extend(rows.iter().flat_map(|row| function_waits(row, &rows)));
        records.sort_by_key(end_ns);
        let gap = records.iter().find_map(|record| match record {
            Record::Gap(gap) => Some(*gap),
            _ => None,
        });
        if let Some(gap) = gap {
            records = unseen_left_out(records, gap);
        }
        let lost = rows.iter().filter(|row| row.kind == "lost");
        let lost = lost.flat_map(|row| runs(&row.cells)).filter(|run| run.0 == 'L');
        let ack_receivers = rows.iter().filter(|row| row.kind == "acks");
        Self {
            records,
            ack_receivers: ack_receivers.map(|row| row.thread as u32).collect(),
            lost: lost
                .map(|(_, start_ns, end_ns)| TimeRange::new(start_ns, end_ns))
                .collect(),
        }
    }

    /// The segments of the thread's last commit, explained when its record came.
    pub(crate) fn segments(&self, thread: char) -> Vec<Segment> {
        let mut timelines = Timelines::new(SERVER);
        for stack in stacks() {
            timelines.push_stack(stack).unwrap();
        }
        for (_, stack) in functions() {
            timelines.push_server_stack(stack).unwrap();
        }
        for &receiver in &self.ack_receivers {
            timelines.name_ack_receiver(receiver);
        }
        for &blank in &self.lost {
            timelines.push_lost(blank);
        }
        // The cases are about what waits are charged to, remembered or not.
        let mut memory = Memory::beyond(0);
        let mut segments = Vec::new();
        for record in &self.records {
            match record {
                Record::OffCpu(off) => timelines.push_off_cpu(off).unwrap(),
                Record::Io(io) => timelines.push_io(io, class(io)).unwrap(),
                Record::Commit(commit) => {
                    timelines.push_commit(commit).unwrap();
                    if commit.tid == thread as u32 {
                        explain(commit, &timelines, &mut memory, &mut segments);
                    }
                }
                Record::Flush(flush) => timelines.push_flush(*flush).unwrap(),
                Record::Gap(_) => timelines.interrupt(),
                Record::Member(member) => timelines.push_member(member).unwrap(),
                Record::QueueEntry(entry) => timelines.push_queue_entry(*entry),
                Record::FlushStage(step) => timelines.push_flush_stage(step, |_| ()),
                Record::Process(process) => timelines.push_process(process.clone()),
                Record::ThreadEnd(end) => timelines.push_thread_end(*end),
                Record::ServerWait(wait) => timelines.push_server_wait(wait).unwrap(),
                Record::ServerStack(stack) => timelines.push_server_stack(stack.clone()).unwrap(),
                Record::CpuSample(sample) => timelines.push_cpu_sample(sample).unwrap(),
                Record::CommitReturn(commit) => timelines.push_commit(commit).unwrap(),
                Record::File(_)
                | Record::Stack(_)
                | Record::OtherWrites(_)
                | Record::AsyncCommit(_)
                | Record::Statement(_) => {}
            }
        }
        assert!(!segments.is_empty(), "{thread} has no commit");
        segments
    }

    /// What the analysis counts of all groups.
    pub(crate) fn groups(&self) -> Option<Groups> {
        let mut analysis = Analysis::new(AnalysisConfig {
            server_tgid: SERVER,
            logs: synthetic::logs(),
            window: TimeRange::new(0, u64::MAX),
        });
        analysis.explain_statements();
        let binlog = Record::File(File {
            id: BINLOG,
            path: "data/binlog.000001".to_owned(),
        });
        let stacks = stacks().into_iter().map(Record::Stack);
        std::iter::once(binlog)
            .chain(stacks)
            .chain(self.records.iter().cloned())
            .for_each(|record| analysis.push(record));
        let breakdown = analysis.finish();
        assert_eq!((breakdown.unmatched, breakdown.invariant_violations), (0, 0));
        breakdown.groups
    }

    /// The same as text: cause and number of cells.
    pub(crate) fn explained(&self, thread: char) -> Vec<String> {
        self.segments(thread).iter().map(words).collect()
    }
}

/// What a tracer records that does not look in `gap`, with the gap before all that comes after it.
pub(crate) fn unseen_left_out(records: Vec<Record>, gap: TimeRange) -> Vec<Record> {
    let is_seen = |record: &Record| end_ns(record) <= gap.start_ns || start_ns(record) >= gap.end_ns;
    let mut seen: Vec<Record> = records.into_iter().filter(is_seen).collect();
    let at = seen.partition_point(|record| end_ns(record) <= gap.start_ns);
    seen.insert(at, Record::Gap(gap));
    seen
}

fn words(segment: &Segment) -> String {
    let cause = segment.cause;
    let io = cause
        .io
        .map_or(String::new(), |(class, op)| format!("{class} {op} "));
    let cells = segment.range.length_ns() / CELL_NS;
    format!("{} {io}{} {cells}", cause.who, cause.wait)
}

fn row(line: &str) -> Row {
    let (head, cells) = line
        .trim()
        .split_once('|')
        .expect("a row has its cells between bars");
    let (thread, kind) = head
        .trim()
        .split_once(' ')
        .expect("a row starts with thread and kind");
    Row {
        thread: thread.chars().next().expect("a thread is a letter"),
        kind: kind.trim().to_owned(),
        cells: cells.trim_end_matches('|').chars().collect(),
    }
}

fn row_records(row: &Row, rows: &[Row]) -> Vec<Record> {
    let tid = row.thread as u32;
    let runs = runs(&row.cells);
    let mut records = Vec::new();
    for (at, &(cell, start_ns, end_ns)) in runs.iter().enumerate() {
        let next = runs.get(at + 1);
        let in_ns = next.filter(|next| next.0 == 'r').map_or(end_ns, |next| next.2);
        match (row.kind.as_str(), cell) {
            (_, ' ' | '=') => {}
            ("cpu", 'r') => {}
            ("cpu", cell) => records.push(Record::OffCpu(OffCpu {
                tid,
                out_ns: start_ns,
                in_ns,
                wake: wake(cell, start_ns, end_ns, rows),
                syscall: blocked_in(cell),
                stack: stack_of(row.thread, cell, start_ns, rows),
                cpu_wait: CpuWait::Unknown,
            })),
            ("lost" | "in", _) => {}
            ("io", cell) => records.push(Record::Io(io(tid, cell, start_ns, end_ns))),
            ("commit", 'C') => records.push(Record::Commit(Commit {
                tid,
                start_ns,
                end_ns,
            })),
            ("group", leader) => records.push(Record::Member(Member {
                tid,
                leader: leader as u32,
                leader_commit_ns: commit_start(leader, end_ns, rows),
                entered_ns: start_ns,
                at_ns: end_ns,
            })),
            ("queue", 'j') => records.push(Record::QueueEntry(QueueEntry { tid, at_ns: start_ns })),
            ("queue", 'l') => records.push(Record::FlushStage(FlushStage {
                tid,
                at_ns: start_ns,
                commit_ns: commit_start(row.thread, start_ns + 1, rows),
            })),
            ("flush", 'F') => records.push(Record::Flush(Flush {
                dev: tid,
                issue_ns: start_ns,
                done_ns: end_ns,
            })),
            ("gap", 'G') => records.push(Record::Gap(TimeRange::new(start_ns, end_ns))),
            (kind, cell) => panic!("no cell {cell:?} in a row {kind:?}"),
        }
    }
    records
}

/// The functions that the tracer finds at the end of waits.
fn function_waits(row: &Row, rows: &[Row]) -> Vec<Record> {
    let tid = row.thread as u32;
    let cells = match row.kind.as_str() {
        "cpu" => runs(&row.cells).into_iter().filter(|run| run.0 == 'o').collect(),
        "in" => runs(&row.cells),
        _ => Vec::new(),
    };
    let cpu = rows.iter().find(|of| of.thread == row.thread && of.kind == "cpu");
    let cpu = cpu.map(|row| runs(&row.cells)).unwrap_or_default();
    let record = |(cell, _, end_ns): (char, u64, u64)| {
        let (_, stack) = functions().into_iter().find(|(function, _)| *function == cell)?;
        // It is read once the thread runs again.
        let ran = cpu.iter().find(|run| run.0 == 'r' && run.1 == end_ns);
        let in_ns = ran.map_or(end_ns, |run| run.2);
        Some(Record::ServerWait(ServerWait {
            tid,
            in_ns,
            read_ns: in_ns,
            stack: Some(stack.id),
        }))
    };
    cells.into_iter().filter_map(record).collect()
}

/// Runs of equal cells, with the time from the first to the last.
pub(crate) fn runs(cells: &[char]) -> Vec<(char, u64, u64)> {
    let mut runs: Vec<(char, u64, u64)> = Vec::new();
    for (at, &cell) in cells.iter().enumerate() {
        let start_ns = ORIGIN_NS + at as u64 * CELL_NS;
        match runs.last_mut() {
            Some(last) if last.0 == cell => last.2 = start_ns + CELL_NS,
            _ => runs.push((cell, start_ns, start_ns + CELL_NS)),
        }
    }
    runs
}

fn wake(cell: char, out_ns: u64, at_ns: u64, rows: &[Row]) -> Wake {
    let (tid, tgid, syscall) = match cell {
        'p' => return Wake::Preempted,
        '?' => return Wake::Unknown,
        cell if cell.is_ascii_uppercase() || !cell.is_ascii() => (cell as u32, SERVER, Some(FUTEX)),
        'x' => (9_999, 9_999, Some(FUTEX)),
        // The server's own thread happened to run where the interrupt came.
        'f' | 'o' => ('Z' as u32, SERVER, None),
        _ => (0, 0, None),
    };
    assert!(out_ns < at_ns);
    Wake::By {
        at_ns,
        tid,
        tgid,
        commit_ns: commit_start(cell, at_ns, rows),
        syscall,
    }
}

/// Start of the commit that thread `waker` is in just before `at_ns`.
fn commit_start(waker: char, at_ns: u64, rows: &[Row]) -> Option<u64> {
    let row = rows
        .iter()
        .find(|row| row.thread == waker && row.kind == "commit")?;
    let commit = runs(&row.cells)
        .into_iter()
        .find(|&(cell, start_ns, end_ns)| cell == 'C' && start_ns < at_ns && at_ns <= end_ns)?;
    Some(commit.1)
}

fn blocked_in(cell: char) -> Option<u16> {
    match cell {
        'p' => None,
        't' => Some(230),
        'c' => Some(45),
        'a' => Some(208),
        'w' | 'j' | 'd' | 'u' | 'n' => Some(75),
        'i' => Some(17),
        _ => Some(FUTEX),
    }
}

fn io(tid: u32, cell: char, enter_ns: u64, exit_ns: u64) -> Io {
    let (ino, op) = match cell {
        'B' => (0, IoOp::Fsync),
        'b' => (0, IoOp::Write),
        'R' => (1, IoOp::Fsync),
        'D' => (2, IoOp::Read),
        _ => panic!("no I/O call is drawn as {cell:?}"),
    };
    Io {
        tid,
        enter_ns,
        exit_ns,
        file: FileId { ino, ..BINLOG },
        op,
        ret: 0,
    }
}

fn class(io: &Io) -> FileClass {
    match io.file.ino {
        0 => FileClass::Binlog,
        1 => FileClass::Redo,
        _ => FileClass::Data,
    }
}

fn start_ns(record: &Record) -> u64 {
    match record {
        Record::OffCpu(off) => off.out_ns,
        Record::Io(io) => io.enter_ns,
        Record::Commit(commit) | Record::CommitReturn(commit) => commit.start_ns,
        Record::AsyncCommit(ended) => ended.commit.start_ns,
        Record::Statement(statement) => statement.start_ns,
        Record::Flush(flush) => flush.issue_ns,
        Record::Gap(gap) => gap.start_ns,
        Record::Member(member) => member.entered_ns,
        Record::QueueEntry(QueueEntry { at_ns, .. }) | Record::ThreadEnd(ThreadEnd { at_ns, .. }) => *at_ns,
        Record::FlushStage(step) => step.at_ns,
        Record::ServerWait(wait) => wait.in_ns,
        Record::CpuSample(sample) => sample.at_ns,
        Record::OtherWrites(writes) => writes.at_ns,
        Record::File(_) | Record::Stack(_) | Record::ServerStack(_) | Record::Process(_) => 0,
    }
}

fn end_ns(record: &Record) -> u64 {
    match record {
        Record::OffCpu(off) => off.in_ns,
        Record::Io(io) => io.exit_ns,
        Record::Commit(commit) | Record::CommitReturn(commit) => commit.end_ns,
        Record::AsyncCommit(ended) => ended.commit.end_ns,
        Record::Statement(statement) => statement.at_ns,
        Record::Flush(flush) => flush.done_ns,
        Record::Gap(gap) => gap.end_ns,
        Record::Member(member) => member.at_ns,
        Record::QueueEntry(QueueEntry { at_ns, .. }) | Record::ThreadEnd(ThreadEnd { at_ns, .. }) => *at_ns,
        Record::FlushStage(step) => step.at_ns,
        Record::ServerWait(wait) => wait.read_ns,
        Record::CpuSample(sample) => sample.at_ns,
        Record::OtherWrites(writes) => writes.at_ns,
        Record::File(_) | Record::Stack(_) | Record::ServerStack(_) | Record::Process(_) => 0,
    }
}
