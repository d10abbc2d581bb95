//! Waits that are their own reason where the time of the thread that ended them explains nothing.
//!
//! The thread that ends a wait need not have caused it. The last of a number of commits ends the wait of all, who switches
//! semi-synchronous replication off ends the wait for a replica, and what these did before, in their clients or other
//! statements, kept nobody waiting. The function in which the thread waited says what the one who signals has done
//! ([`WakerRole`]); what is left over is the waiter's own wait (`left_over`).

use logtrace_events::Tid;

use crate::causes::server_rules::WakerRole;
use crate::causes::{Cause, Who};
use crate::charging::walk::path::Worker;
use crate::timeline::frames::Frames;
use crate::timeline::named_wait::FunctionWait;

/// Wait in a known function of the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OwnWait {
    /// Thread that is charged with it.
    pub(crate) tid: Tid,
    pub(crate) cause: Cause,
    pub(crate) frames: Frames,
    /// Part of the thread that ended it.
    pub(crate) waker: WakerRole,
}

impl OwnWait {
    /// Creates the wait of a thread.
    pub(crate) fn of(worker: Worker, function: FunctionWait) -> Self {
        Self {
            tid: worker.tid,
            cause: Cause {
                who: worker.who,
                io: None,
                wait: function.wait,
            },
            frames: function.frames,
            waker: function.waker,
        }
    }

    /// Creates the wait for a lock that thread `holder` gave back.
    pub(crate) fn for_lock(holder: Tid, function: FunctionWait) -> Self {
        Self {
            tid: holder,
            cause: Cause {
                who: Who::Session,
                io: None,
                wait: function.wait,
            },
            frames: function.frames,
            // Its commits alone are followed.
            waker: WakerRole::Worked,
        }
    }
}
