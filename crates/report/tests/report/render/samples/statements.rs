//! Statements of a run and what they waited for, with invented numbers.

use logtrace_attribution::cause::{Cause, Wait, Who};
use logtrace_common::FileClass;
use logtrace_events::IoOp;
use logtrace_report::document::{
    CutStatements, LockHolder, LongWaits, StatementCause, StatementStages, Statements,
};

/// A few statements waited for rows that two sessions held, and for pages.
pub(super) fn stages() -> StatementStages {
    let row_lock = Cause {
        who: Who::Session,
        io: None,
        wait: Wait::RowLock,
    };
    let holder = |tid, count, total, held, idle| LockHolder {
        tid,
        count,
        total,
        held,
        idle,
        end: 21_000_000_000,
        session: None,
    };
    StatementStages {
        statements: 35_988,
        cut: Some(CutStatements {
            at_start: 2,
            at_end: 1,
        }),
        total: 47_200_000_000,
        before_commit: 3_900_000_000,
        commit: 42_600_000_000,
        after_commit: 700_000_000,
        waited: 1_700_000_000,
        waits: vec![
            LongWaits {
                cause: row_lock,
                count: 14,
                total: 1_200_000_000,
                longest: 120_000_000,
                held_by: vec![
                    holder(4_711, 9, 1_000_000_000, 420_000_000, 380_000_000),
                    holder(4_712, 6, 200_000_000, 80_000_000, 0),
                ],
            },
            LongWaits {
                cause: Cause::own(Wait::DeviceIo),
                count: 260,
                total: 500_000_000,
                longest: 9_000_000,
                held_by: Vec::new(),
            },
        ],
    }
}

pub(super) fn statements() -> Statements {
    let slow_log = Cause {
        who: Who::Own,
        io: Some((FileClass::SlowLog, IoOp::Write)),
        wait: Wait::OnCpu,
    };
    let on_cpu = Cause {
        who: Who::Own,
        io: None,
        wait: Wait::OnCpu,
    };
    let total = |cause, total| StatementCause {
        cause,
        total,
        statements: 35_988,
    };
    Statements {
        count: 35_988,
        total: 4_600_000_000,
        causes: vec![
            total(on_cpu, 4_100_000_000),
            total(slow_log, 480_000_000),
            total(Cause::UNEXPLAINED, 20_000_000),
        ],
    }
}
