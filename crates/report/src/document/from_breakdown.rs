//! From the analysis to the run document: the parts of `run.json` that a [`Breakdown`] fills.

use crate::causes::cause::{Cause, Wait};
use crate::document::distribution::Distribution;
use crate::document::{
    self, CauseRow, Commits, DeviceRow, Disagreements, Document, FileRow, Groups, Response, SlowTenthCause,
    StatementCause, Statements, UnclassifiedRow,
};
use crate::totals::breakdown::{
    Breakdown, CauseTotal, DeviceTotal, FileTotal, GroupTotal, ResponseTotal, SlowTenth, StackTotal,
    StatementTotal,
};
use crate::units;

impl Document {
    /// Fills `response`, `commits`, `causes`, `unexplained`, `statements`, `groups`, `files`, `devices` and
    /// `unclassified` from the analysis.
    ///
    /// The server, the workload, the driver, the tracer's account and the caveats are the caller's.
    pub fn set_breakdown(&mut self, breakdown: &Breakdown) {
        self.response = response(&breakdown.response);
        self.commits = Some(commits(breakdown));
        self.causes = breakdown.causes.iter().map(cause).collect();
        self.unexplained = unexplained(&self.causes);
        self.statements = breakdown.statements.as_ref().map(statements);
        self.groups = breakdown.groups.as_ref().map(groups);
        self.files = breakdown.files.iter().map(file).collect();
        self.devices = breakdown.devices.iter().map(device).collect();
        self.unclassified = breakdown.unclassified.iter().map(stack).collect();
    }
}

/// Nanoseconds of `causes` that nothing explains, whoever waited.
pub(crate) fn unexplained(causes: &[CauseRow]) -> u64 {
    let rows = causes.iter().filter(|row| row.wait == Wait::Unexplained);
    units::sum(rows.map(|row| row.total))
}

/// Nothing where nobody said which thread serves which connection.
fn response(of: &ResponseTotal) -> Option<Response> {
    (of.requests > 0).then_some(Response {
        requests: of.requests,
        unjoined: of.unjoined,
        untraced: of.untraced,
        total: of.total_ns,
        lag: of.lag_ns,
        client: of.client_ns,
        before_commit: of.before_ns,
        commit: of.commit_ns,
        after_commit: of.after_ns,
    })
}

fn commits(breakdown: &Breakdown) -> Commits {
    Commits {
        count: breakdown.commits.len(),
        total: breakdown.total_ns,
        distribution: Distribution::from(&breakdown.commits),
        per_second: breakdown.per_second.clone(),
        slow_tenths: breakdown.slow_tenths.iter().map(slow_tenth).collect(),
        slowest_count: breakdown.slowest.commits,
        slowest_total: breakdown.slowest.total_ns,
    }
}

fn slow_tenth(of: &SlowTenth) -> document::SlowTenth {
    let cause = |&(cause, total): &(Cause, u64)| SlowTenthCause {
        who: cause.who,
        file: cause.io.map(|(class, _)| class),
        op: cause.io.map(|(_, op)| op),
        wait: cause.wait,
        total,
    };
    document::SlowTenth {
        at: of.at_ns,
        ended: of.ended,
        under_way: of.under_way,
        causes: of.causes.iter().map(cause).collect(),
    }
}

fn cause(of: &CauseTotal) -> CauseRow {
    CauseRow {
        who: of.cause.who,
        file: of.cause.io.map(|(class, _)| class),
        op: of.cause.io.map(|(_, op)| op),
        wait: of.cause.wait,
        total: of.total_ns,
        commits: of.commits,
        slowest: of.slowest_ns,
    }
}

fn statements(of: &StatementTotal) -> Statements {
    let cause = |of: &CauseTotal| StatementCause {
        who: of.cause.who,
        file: of.cause.io.map(|(class, _)| class),
        op: of.cause.io.map(|(_, op)| op),
        wait: of.cause.wait,
        total: of.total_ns,
        statements: of.commits,
    };
    Statements {
        count: of.count,
        total: of.total_ns,
        causes: of.causes.iter().map(cause).collect(),
    }
}

fn groups(of: &GroupTotal) -> Groups {
    let members = of.sizes.iter().zip(1..).map(|(groups, size)| groups * size);
    Groups {
        count: units::sum(of.sizes.iter().copied()),
        members: units::sum(members),
        sizes: of.sizes.clone(),
        merged: of.merged,
        led: of.led,
        disagreements: Disagreements {
            commits: of.disagreements.commits,
            total: of.disagreements.total_ns,
        },
    }
}

fn file(of: &FileTotal) -> FileRow {
    FileRow {
        class: of.class,
        path: of.path.clone(),
        op: of.op,
        count: of.durations.len(),
        bytes: of.bytes,
        total: of.total_ns,
        distribution: Distribution::from(&of.durations),
        flush_waits: of.waits.flush,
        journal_waits: of.waits.journal,
    }
}

fn device(of: &DeviceTotal) -> DeviceRow {
    DeviceRow {
        // include/linux/kdev_t.h
        device: format!("{}:{}", of.dev >> 20, of.dev & 0xf_ffff),
        flushes: of.durations.len(),
        total: of.total_ns,
        distribution: Distribution::from(&of.durations),
    }
}

fn stack(of: &StackTotal) -> UnclassifiedRow {
    UnclassifiedRow {
        frames: of.frames.clone(),
        total: of.total_ns,
    }
}
