//! Records of an invented server under load, the same at every call, for tests and benchmarks.

use std::io;

use logtrace_common::{LogNames, TimeRange};
use logtrace_events::{
    Clocks, Commit, CpuWait, Entry, File, FileId, Io, IoOp, Member, OffCpu, Record, RecordingHeader,
    RecordingWriter, Stack, Tid, Wake, encode,
};

/// The invented server's process.
pub const SERVER_TGID: u32 = 70;

const FIRST_CONNECTION: Tid = 100;
const CLIENT_TGID: u32 = 20;
const FUTEX: u16 = 202;
const RECVFROM: u16 = 45;
const PREAD64: u16 = 17;
const PWRITE64: u16 = 18;
const FDATASYNC: u16 = 75;
const REDO: FileId = file(1);
const BINLOG: FileId = file(2);
const WRITEBACK: (u32, &str) = (1, "folio_wait_writeback");
const JOURNAL: (u32, &str) = (2, "jbd2_log_wait_commit");
const FLUSH: (u32, &str) = (3, "blkdev_issue_flush");

/// Returns the names of the invented server's logs.
pub fn logs() -> LogNames {
    LogNames {
        binlog: "binlog".into(),
        slow_log: "slow.log".into(),
        general_log: "general.log".into(),
    }
}

/// Returns a recording of records, all in the measured window.
pub fn recording(records: &[Record]) -> io::Result<Vec<u8>> {
    let header = RecordingHeader {
        server_tgid: SERVER_TGID,
        logs: logs(),
        ack_receiver: None,
        cluster_receiver: None,
        statements: false,
        clocks: Clocks::default(),
    };
    let mut bytes = Vec::new();
    let mut writer = RecordingWriter::new(&mut bytes, &header)?;
    writer.write(Entry::Window(TimeRange::new(0, u64::MAX >> 1)))?;
    let mut encoded = Vec::new();
    for record in records {
        encoded.clear();
        encode(record, &mut encoded);
        writer.write(Entry::Record(&encoded))?;
    }
    Ok(bytes)
}

/// Returns `groups` group commits of `connections` connections each, in ring order: a leader syncs redo log and binary log
/// while the others wait for it.
pub fn group_commits(connections: u32, groups: u32) -> Vec<Record> {
    let mut records = stated_group_commits(connections, groups);
    records.retain(|record| !matches!(record, Record::Member(_)));
    records
}

/// Returns the same records of a server that states the members of each group.
pub fn stated_group_commits(connections: u32, groups: u32) -> Vec<Record> {
    let mut sample = Sample::new(1);
    for group in 0..groups {
        sample.group(connections, FIRST_CONNECTION + group % connections.max(1));
    }
    sample.records.sort_by_key(|&(end_ns, _)| end_ns);
    let mut records = names();
    records.extend(sample.records.into_iter().map(|(_, record)| record));
    records
}

/// Returns the records of a busier server, group by group, for more of them than fit into memory. Its waits have `places`
/// kernel stacks each, and one in four takes 2 to 256 times as long as usual.
pub fn varied_group_commits(connections: u32, groups: u32, places: u32) -> impl Iterator<Item = Record> {
    let mut sample = Sample::new(places);
    let groups = (0..groups).flat_map(move |group| {
        sample.group(connections, FIRST_CONNECTION + group % connections.max(1));
        let mut records = std::mem::take(&mut sample.records);
        records.sort_by_key(|&(end_ns, _)| end_ns);
        records.into_iter().map(|(_, record)| record)
    });
    names().into_iter().chain(further_places(places)).chain(groups)
}

struct Sample {
    now_ns: u64,
    noise: u64,
    /// Number of kernel stacks of each kind of wait. With more than one, some waits are longer, too.
    places: u32,
    records: Vec<(u64, Record)>,
}

impl Sample {
    fn new(places: u32) -> Self {
        Self {
            now_ns: 1_000_000_000,
            noise: 1,
            places,
            records: Vec::new(),
        }
    }

    /// Adds a group: the work of its leader in order, and the waits of the others around it.
    fn group(&mut self, connections: u32, leader: Tid) {
        let arrived_ns = self.now_ns;
        self.client_wait(leader, arrived_ns);
        let start_ns = arrived_ns + self.about(20_000);
        self.now_ns = start_ns + self.about(5_000);
        self.io(leader, REDO, IoOp::Write, &[]);
        self.io(
            leader,
            REDO,
            IoOp::Fsync,
            &[(WRITEBACK.0, 80_000), (FLUSH.0, 300_000)],
        );
        self.io(leader, BINLOG, IoOp::Write, &[]);
        let waits = [(WRITEBACK.0, 90_000), (JOURNAL.0, 400_000), (FLUSH.0, 200_000)];
        self.io(leader, BINLOG, IoOp::Fsync, &waits);
        self.now_ns += self.about(10_000);
        let followers = (FIRST_CONNECTION..FIRST_CONNECTION + connections).filter(|&tid| tid != leader);
        for follower in followers {
            self.follower(follower, (leader, start_ns), arrived_ns);
        }
        self.member(leader, (leader, start_ns), start_ns);
        self.now_ns += self.about(3_000);
        self.commit(leader, start_ns, self.now_ns);
        self.now_ns += self.about(100_000);
    }

    /// Adds a commit that entered the group a little later and waited until its leader wakes it now.
    fn follower(&mut self, tid: Tid, leader: (Tid, u64), arrived_ns: u64) {
        let arrived_ns = arrived_ns + self.about(30_000);
        self.client_wait(tid, arrived_ns);
        let start_ns = arrived_ns + self.about(20_000);
        let out_ns = start_ns + self.about(4_000);
        self.member(tid, leader, out_ns);
        self.now_ns += self.about(1_000);
        let woken_ns = self.now_ns;
        let in_ns = woken_ns + self.about(15_000);
        let wake = Wake::By {
            at_ns: woken_ns,
            tid: leader.0,
            tgid: SERVER_TGID,
            commit_ns: Some(leader.1),
            syscall: Some(FUTEX),
        };
        self.off_cpu(tid, out_ns, in_ns, wake, FUTEX, None);
        let preempted_ns = in_ns + self.about(1_000);
        let resumed_ns = preempted_ns + self.about(2_000);
        self.off_cpu(tid, preempted_ns, resumed_ns, Wake::Preempted, FUTEX, None);
        let end_ns = resumed_ns + self.about(1_000);
        self.commit(tid, start_ns, end_ns);
    }

    /// Adds the leader's statement that a thread is in its group, after it has synced the binlog.
    fn member(&mut self, tid: Tid, leader: (Tid, u64), entered_ns: u64) {
        let member = Member {
            tid,
            leader: leader.0,
            leader_commit_ns: Some(leader.1),
            entered_ns,
            at_ns: self.now_ns,
        };
        self.records.push((member.at_ns, Record::Member(member)));
    }

    /// Adds a system call on a file, now. It runs a little around each of its blocks (stack, nanoseconds).
    fn io(&mut self, tid: Tid, file: FileId, op: IoOp, blocks: &[(u32, u64)]) {
        let number = match op {
            IoOp::Write => PWRITE64,
            IoOp::Fsync => FDATASYNC,
            IoOp::Read => PREAD64,
        };
        let enter_ns = self.now_ns + self.about(1_000);
        self.now_ns = enter_ns + self.about(3_000);
        for &(stack, typical_ns) in blocks {
            let out_ns = self.now_ns;
            let (longer, place) = match self.places {
                1 => (1, 0),
                places => (self.longer(), self.below_u32(places)),
            };
            let at_ns = out_ns + longer * self.about(typical_ns);
            let in_ns = at_ns + self.about(8_000);
            let stack = stack + place * PLACE;
            self.off_cpu(tid, out_ns, in_ns, woken(at_ns, 0, None), number, Some(stack));
            self.now_ns = in_ns + self.about(2_000);
        }
        let io = Io {
            tid,
            enter_ns,
            exit_ns: self.now_ns,
            file,
            op,
            ret: if op == IoOp::Write { 512 } else { 0 },
        };
        self.records.push((io.exit_ns, Record::Io(io)));
    }

    fn client_wait(&mut self, tid: Tid, until_ns: u64) {
        let wake = woken(until_ns - 2_000, CLIENT_TGID, Some(RECVFROM - 1));
        self.off_cpu(tid, until_ns - 20_000, until_ns, wake, RECVFROM, None);
    }

    fn off_cpu(&mut self, tid: Tid, out_ns: u64, in_ns: u64, wake: Wake, syscall: u16, stack: Option<u32>) {
        let off = OffCpu {
            tid,
            out_ns,
            in_ns,
            wake,
            syscall: Some(syscall),
            stack,
            cpu_wait: CpuWait::Unknown,
        };
        self.records.push((in_ns, Record::OffCpu(off)));
    }

    fn commit(&mut self, tid: Tid, start_ns: u64, end_ns: u64) {
        let commit = Commit {
            tid,
            start_ns,
            end_ns,
        };
        self.records.push((end_ns, Record::Commit(commit)));
    }

    /// Returns a number between half and one and a half of `typical_ns`.
    fn about(&mut self, typical_ns: u64) -> u64 {
        typical_ns / 2 + self.below(typical_ns.max(1))
    }

    /// Returns 1 in three of four cases, and 2, 4 and so on up to 256 in a quarter of what is left each time.
    fn longer(&mut self) -> u64 {
        1 << ((self.below(1 << 16) | 1 << 16).trailing_zeros() / 2)
    }

    fn below_u32(&mut self, limit: u32) -> u32 {
        u32::try_from(self.below(u64::from(limit))).unwrap_or(0)
    }

    /// Returns a number below a limit, by a linear congruential generator (Knuth's MMIX).
    fn below(&mut self, limit: u64) -> u64 {
        self.noise = self
            .noise
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.noise >> 33) % limit
    }
}

/// Distance of the numbers of a wait's kernel stacks.
const PLACE: u32 = 10;

/// Returns the further kernel stacks of each kind of wait: they differ in the function that is called by the file system.
fn further_places(places: u32) -> impl Iterator<Item = Record> {
    let waits = [WRITEBACK, JOURNAL, FLUSH];
    let further = (1..places).flat_map(move |place| waits.map(|(id, function)| (id, function, place)));
    further.map(|(id, function, place)| {
        let called = format!("ext4_fc_commit_part_{place}");
        let frames = [function, called.as_str(), "ext4_sync_file", "do_fsync"];
        Record::Stack(Stack {
            id: id + place * PLACE,
            frames: frames.map(str::to_owned).to_vec(),
        })
    })
}

const fn file(ino: u64) -> FileId {
    FileId {
        dev: 8 << 20,
        ino,
        generation: 1,
    }
}

/// Returns a wake-up by the only thread of another process, or by an interrupt of the idle task (0).
fn woken(at_ns: u64, tgid: u32, syscall: Option<u16>) -> Wake {
    Wake::By {
        at_ns,
        tid: tgid,
        tgid,
        commit_ns: None,
        syscall,
    }
}

/// Returns the names of files and kernel functions, which come before all other records.
fn names() -> Vec<Record> {
    let files = [
        (REDO, "data/#innodb_redo/#ib_redo7"),
        (BINLOG, "data/binlog.000003"),
    ];
    let files = files.map(|(id, path)| {
        let path = path.to_owned();
        Record::File(File { id, path })
    });
    let stacks = [WRITEBACK, JOURNAL, FLUSH].map(|(id, function)| {
        let frames = [function, "ext4_sync_file", "do_fsync"]
            .map(str::to_owned)
            .to_vec();
        Record::Stack(Stack { id, frames })
    });
    files.into_iter().chain(stacks).collect()
}
