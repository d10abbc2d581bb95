//! Analysis of a stream of records. Each commit is explained at the moment its record arrives.

mod counting;
mod events;
mod pools;

use logtrace_common::{LogNames, TimeRange};
use logtrace_events::{Commit, Record, Request, Tid};

use crate::charging::Segment;
use crate::charging::explained_commit::ExplainedCommit;
use crate::charging::walk::memory::Memory;
use crate::holders::HolderTotals;
use crate::over_time::TotalsOverTime;
use crate::over_time::recent::Recent;
use crate::requests::RequestMatcher;
use crate::requests::other_clients::OtherClients;
use crate::timeline::{Timelines, Unmatched};
use crate::totals::Breakdown;
use crate::totals::by_cause::{Aggregate, Commits};
use crate::totals::by_device::Devices;
use crate::totals::by_file::Files;
use crate::totals::by_group::GroupTotals;
use crate::totals::by_stack::{StackTotals, folded, folded_parts, unclassified};
use crate::totals::by_stage::StageTotals;
use crate::totals::by_statement::StatementTotals;
use crate::totals::histogram::LONGEST_NS;
use crate::totals::stalls::Tenths;
use crate::totals::trace_gaps::{GapTotals, Gaps};

/// Time between two looks for statements that take long.
const LOOK_EVERY_NS: u64 = 250_000_000;

/// Settings of an analysis.
#[derive(Clone, Debug)]
pub struct AnalysisConfig {
    /// Process id of the server.
    pub server_tgid: u32,
    /// Names of the server's logs.
    pub logs: LogNames,
    /// Measured window. Commits count that are under way in it, even if they end after it, and I/O system calls that return
    /// in it.
    pub window: TimeRange,
}

/// Analysis of one run.
#[derive(Debug)]
pub struct Analysis {
    window: TimeRange,
    /// Start of the first wait. Threads that are blocked when the trace begins are known from then on.
    began_ns: u64,
    timelines: Timelines,
    memory: Memory,
    files: Files,
    devices: Devices,
    gaps: GapTotals,
    /// End of the last wait.
    last_ns: u64,
    responses: RequestMatcher,
    other_clients: OtherClients,
    stages: StageTotals,
    /// Whether a pool of threads serves the connections: the server's statements are then told apart by records of their own.
    is_pooled: bool,
    /// Sessions that should be named because their statements take long, and when to look for the next ones.
    long_served: Vec<Tid>,
    next_look_ns: u64,
    /// Statements, if they are explained.
    statements: Option<StatementTotals>,
    groups: GroupTotals,
    holders: HolderTotals,
    aggregate: Aggregate,
    tenths: Tenths,
    over_time: TotalsOverTime,
    /// Segments of the last commit.
    segments: Vec<Segment>,
    /// Whether the last commit is in the window.
    is_counted: bool,
    /// Segments of the same commit by wake-ups alone.
    by_wakers: Vec<Segment>,
    unmatched: u64,
    invariant_violations: u64,
}

impl Analysis {
    /// Creates an analysis before the first record.
    pub fn new(config: AnalysisConfig) -> Self {
        let window = config.window;
        Self {
            window,
            began_ns: u64::MAX,
            timelines: Timelines::new(config.server_tgid),
            memory: Memory::default(),
            files: Files::new(config.logs),
            devices: Devices::default(),
            gaps: GapTotals::default(),
            last_ns: 0,
            responses: RequestMatcher::default(),
            other_clients: OtherClients::default(),
            stages: StageTotals::new(true),
            is_pooled: false,
            long_served: Vec::new(),
            next_look_ns: 0,
            statements: None,
            groups: GroupTotals::default(),
            holders: HolderTotals::new(window),
            aggregate: Aggregate::new(window),
            tenths: Tenths::new(window),
            over_time: TotalsOverTime::new(window),
            segments: Vec::new(),
            is_counted: false,
            by_wakers: Vec::new(),
            unmatched: 0,
            invariant_violations: 0,
        }
    }

    /// Names the thread of the server that receives the acknowledgements of replicas (semi-synchronous replication). Its
    /// waits for sockets are waits for these.
    pub fn name_ack_receiver(&mut self, tid: Tid) {
        self.timelines.name_ack_receiver(tid);
    }

    /// Names the thread of the server that receives the messages of its Galera cluster. Its waits for sockets are waits for
    /// other nodes.
    pub fn name_cluster_receiver(&mut self, tid: Tid) {
        self.timelines.name_cluster_receiver(tid);
    }

    /// Adds the next record, in the order of the ring: the records of a commit's waits come before the commit.
    ///
    /// Records that contradict earlier ones are left out and counted.
    pub fn push(&mut self, record: Record) {
        let taken = match record {
            Record::OffCpu(off) => {
                self.aggregate.reach(off.in_ns);
                self.push_off_cpu(&off)
            }
            Record::Io(io) => self.push_io(&io),
            Record::Commit(commit) => self.push_commit(&commit),
            Record::CommitReturn(commit) => self.push_commit_return(&commit),
            Record::AsyncCommit(ended) => self.push_async_commit(&ended),
            Record::Statement(statement) => self.push_statement(&statement),
            Record::Stack(stack) => self.timelines.push_stack(stack),
            Record::ServerStack(stack) => self.timelines.push_server_stack(stack),
            Record::ServerWait(wait) => self.timelines.push_server_wait(&wait),
            Record::CpuSample(sample) => self.timelines.push_cpu_sample(&sample),
            Record::Flush(flush) => self.push_flush(flush),
            Record::Gap(gap) => self.push_gap(gap),
            Record::Member(member) => self.push_member(&member),
            Record::QueueEntry(entry) => {
                self.timelines.push_queue_entry(entry);
                Ok(())
            }
            Record::FlushStage(step) => {
                let (totals, holders) = (&mut self.groups, &mut self.holders);
                self.timelines.push_flush_stage(&step, |member| {
                    totals.add(member);
                    holders.push_member(member);
                });
                Ok(())
            }
            Record::ThreadEnd(end) => {
                self.timelines.push_thread_end(end);
                self.holders.push_thread_end(end.tid, end.at_ns);
                self.responses.push_thread_end(end);
                Ok(())
            }
            Record::OtherWrites(writes) => {
                if self.counts(writes.at_ns) {
                    self.holders.push_other_writes(writes);
                }
                Ok(())
            }
            Record::Process(process) => {
                self.timelines.push_process(process);
                Ok(())
            }
            Record::File(file) => {
                self.files.name(file);
                Ok(())
            }
        };
        self.unmatched += u64::from(taken.is_err());
    }

    /// Notes that records made within `period` were lost. Call it before the records after them. Within `period` a thread
    /// without records may have waited, and a request may have been served in another way than the records show.
    pub fn push_lost(&mut self, period: TimeRange) {
        self.timelines.push_lost(period);
        self.responses.push_lost(period);
    }

    /// Explains statements outside their commits too, from now on. This doubles the CPU time of the analysis.
    pub fn explain_statements(&mut self) {
        self.statements = Some(StatementTotals::new(self.window));
    }

    /// Stores the causes of visits from now on, for requests that will be added.
    pub fn expect_requests(&mut self) {
        self.responses.is_expected = true;
    }

    /// Adds a finished request; requests of one connection in their order. Its records may come before or after it.
    pub fn push_request(&mut self, request: &Request) {
        self.responses.push_request(request);
        self.other_clients.push_request(request);
    }

    /// Sets the measured window and resets the totals, for a window that is known only after tracing began. The history of
    /// the threads stays.
    pub fn set_window(&mut self, window: TimeRange) {
        self.window = window;
        self.aggregate.begin(window);
        self.tenths = Tenths::new(window);
        self.over_time.begin(window);
        self.gaps.totals = Gaps::default();
        self.other_clients.begin();
        self.groups.begin();
        self.holders.begin(window);
        self.begin_statements();
    }

    /// Ends the window at `at_ns` if it would last longer, for a window with an end that is not known in advance. The totals
    /// stay.
    pub fn end_window(&mut self, at_ns: u64) {
        self.window.end_ns = self.window.end_ns.min(at_ns);
        self.aggregate.end_window(self.window.end_ns);
    }

    /// Returns the last commit with its explanation, or `None` if it does not count, because it is not in the window.
    pub fn explained(&self, commit: Commit) -> Option<ExplainedCommit<'_>> {
        let last_ns = commit.end_ns.saturating_sub(1);
        let place = self.timelines.groups.at(commit.tid, last_ns);
        let leader = place.and_then(|place| place.leader);
        self.is_counted.then_some(ExplainedCommit {
            commit,
            window: self.window,
            segments: &self.segments,
            leader: leader.map(|leader| leader.tid),
            leader_commit_ns: leader.and_then(|leader| leader.commit_ns),
            names: &self.timelines.names,
        })
    }

    /// Returns the number of explained commits in the window so far.
    pub fn commits_so_far(&self) -> u64 {
        self.aggregate.durations.count()
    }

    /// Returns the commits since the last call, none at the first.
    pub fn take_recent(&mut self) -> Recent {
        self.over_time.take_recent(&self.aggregate.stacks)
    }

    /// Returns the threads of the server whose connections should be named now, while they do what makes them stand out.
    pub fn take_wanted(&mut self) -> Vec<Tid> {
        let mut wanted = self.holders.take_wanted();
        wanted.extend(self.stages.take_wanted());
        wanted.append(&mut self.long_served);
        wanted
    }

    /// Ends the analysis and returns its totals.
    pub fn finish(mut self) -> Breakdown {
        self.count_open();
        let names = &self.timelines.names;
        let responses = self.responses.finish();
        let measured_ns = self.aggregate.measured_ns();
        let gaps = self.gaps.total(measured_ns);
        // A gap hides which commits ended in it.
        let slow_tenths = match gaps {
            None => {
                let causes = self.aggregate.stacks.causes();
                self.tenths.slow(measured_ns, causes)
            }
            Some(_) => Vec::new(),
        };
        let statements = self.statements.as_ref();
        let statement_stacks = statements.map(|statements| folded(statements.aggregate.by_stack(), names));
        let slow: Vec<u64> = slow_tenths.iter().map(|tenth| tenth.at).collect();
        let over_time = self
            .over_time
            .finish(names, self.aggregate.stacks.causes(), &slow);
        let commits = Commits {
            others: self.other_clients.total(),
            ..self.aggregate.commits(slow_tenths)
        };
        Breakdown {
            commits,
            causes: self.aggregate.causes(),
            files: self.files.into_rows(),
            devices: self.devices.into_rows(),
            gaps,
            holders: self.holders.finish(names),
            over_time,
            response: responses.total(),
            stacks: StackTotals {
                commit: folded(self.aggregate.by_stack(), names),
                response: folded_parts(responses.by_stack(&self.aggregate.stacks), names),
                statement: statement_stacks.unwrap_or_default(),
            },
            stages: self.stages.total(self.window.start_ns),
            statements: statements.map(StatementTotals::total),
            is_pooled: self.is_pooled,
            groups: self.groups.into_total(),
            unclassified: unclassified(self.aggregate.by_stack(), names),
            invariant_violations: self.invariant_violations,
            unmatched: self.unmatched,
        }
    }
}

/// Refuses times that only a damaged record has.
fn believable(window: TimeRange) -> Result<(), Unmatched> {
    if window.start_ns <= window.end_ns && window.length_ns() <= LONGEST_NS {
        Ok(())
    } else {
        Err(Unmatched)
    }
}
