//! Records other than commits: waits, system calls on files, flushes of devices, gaps, and members of groups.

use logtrace_common::{FileClass, TimeRange};
use logtrace_events::{Flush, Io, Member, OffCpu};

use super::counting::is_counted;
use super::{Analysis, LOOK_EVERY_NS, believable};
use crate::causes::wakeup::waits_for_request;
use crate::requests::visit::Visit;
use crate::timeline::Unmatched;

impl Analysis {
    pub(super) fn push_off_cpu(&mut self, off: &OffCpu) -> Result<(), Unmatched> {
        self.timelines.push_off_cpu(off)?;
        self.began_ns = self.began_ns.min(off.out_ns);
        self.last_ns = self.last_ns.max(off.in_ns);
        if self.is_pooled {
            return Ok(());
        }
        let Self {
            responses,
            stages,
            statements,
            timelines,
            memory,
            gaps,
            window,
            ..
        } = self;
        let counts = |range| is_counted(range, *window, gaps);
        if waits_for_request(off)
            && let Some(timeline) = timelines.thread(off.tid)
            && let Some(visit) = Visit::under_way(timeline, self.began_ns, off)
            && counts(visit.range)
        {
            stages.add_begun_before(off.tid, &visit, timelines, memory);
        }
        responses.push_off_cpu(off, move |visit| {
            if !counts(visit.range) {
                return &[];
            }
            stages.add(off.tid, visit, timelines, memory);
            match statements {
                Some(statements) => statements.add(off.tid, visit, timelines, memory),
                None => &[],
            }
        });
        if off.in_ns >= self.next_look_ns {
            self.next_look_ns = off.in_ns.saturating_add(LOOK_EVERY_NS);
            self.long_served = self.responses.take_long(off.in_ns);
        }
        Ok(())
    }

    pub(super) fn push_io(&mut self, io: &Io) -> Result<(), Unmatched> {
        believable(TimeRange::new(io.enter_ns, io.exit_ns))?;
        let class = self.files.class(io.file);
        self.timelines.push_io(io, class)?;
        if matches!(class, FileClass::Binlog | FileClass::Redo) {
            self.holders.note_log_device(io.file.dev);
        }
        let timelines = &self.timelines;
        self.holders.push_io(io, class, || timelines.request_ns(io.tid));
        if self.counts(io.exit_ns) {
            self.files.count(io, class, self.timelines.waited_for(io));
        }
        Ok(())
    }

    pub(super) fn push_flush(&mut self, flush: Flush) -> Result<(), Unmatched> {
        believable(TimeRange::new(flush.issue_ns, flush.done_ns))?;
        self.timelines.push_flush(flush)?;
        if self.counts(flush.done_ns) {
            self.devices.count(flush);
        }
        Ok(())
    }

    pub(super) fn push_gap(&mut self, gap: TimeRange) -> Result<(), Unmatched> {
        if !self.gaps.push(gap, self.window) {
            return Err(Unmatched);
        }
        self.aggregate.reach(gap.end_ns);
        self.timelines.interrupt();
        self.holders.interrupt();
        self.responses.interrupt(gap);
        Ok(())
    }

    /// Returns whether an event at `at_ns` counts: it is in the window and after the last gap.
    pub(super) fn counts(&self, at_ns: u64) -> bool {
        self.window.contains(at_ns) && at_ns >= self.gaps.seen_from_ns
    }

    pub(super) fn push_member(&mut self, member: &Member) -> Result<(), Unmatched> {
        self.timelines.push_member(member)?;
        self.groups.add(member);
        self.holders.push_member(member);
        Ok(())
    }
}
