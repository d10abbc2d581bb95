//! The functions of a server in which the probes sit.

#![expect(non_snake_case, reason = "the probes look for mangled names")]

use std::hint::black_box;

/// A function under the name that it has in a server. Its body is no other one's: the compiler would make one function
/// of both.
macro_rules! exported {
    ($name:ident($($argument:ident: $type:ty),*) $body:block) => {
        #[expect(unsafe_code, reason = "only an unmangled function can have this name")]
        // SAFETY: no library of this test has a function of this name.
        #[unsafe(no_mangle)]
        #[inline(never)]
        extern "C" fn $name($($argument: $type),*) -> u64 $body
    };
}

exported!(_ZN11MDL_context12acquire_lockEP11MDL_requestd(request: u64) { black_box(request) });
exported!(_ZN11MDL_context12release_lockEP10MDL_ticket(ticket: u64) { black_box(ticket) + 1 });

#[expect(unsafe_code, reason = "only an unmangled function can have this name")]
// SAFETY: no library of this test has a function of this name.
#[unsafe(no_mangle)]
#[inline(never)]
fn _Z15ha_commit_transP3THDb(work: &mut dyn FnMut(), read_write: bool) -> u64 {
    if !read_write {
        work();
        return black_box(0);
    }
    let ticket = _ZN11MDL_context12acquire_lockEP11MDL_requestd(1);
    work();
    black_box(_ZN11MDL_context12release_lockEP10MDL_ticket(ticket) + 1)
}

#[expect(unsafe_code, reason = "only an unmangled function can have this name")]
// SAFETY: no library of this test has a function of this name.
#[unsafe(no_mangle)]
#[inline(never)]
fn _Z16trans_xa_prepareP3THD(work: &mut dyn FnMut()) -> u64 {
    work();
    black_box(3)
}

#[expect(unsafe_code, reason = "only an unmangled function can have this name")]
// SAFETY: no library of this test has a function of this name.
#[unsafe(no_mangle)]
#[inline(never)]
fn _Z15trans_xa_commitP3THD(work: &mut dyn FnMut()) -> u64 {
    work();
    black_box(4)
}

// MySQL.
exported!(_ZN13MYSQL_BIN_LOG14ordered_commitEP3THDbb(this: u64, thd: u64) { black_box(this ^ thd) + 10 });
exported!(_ZN13MYSQL_BIN_LOG25process_flush_stage_queueEPyPP3THD(this: u64, bytes: u64) {
    black_box(this ^ bytes) + 12
});

// MariaDB: the first shows that its groups have one queue.
exported!(_ZN13MYSQL_BIN_LOG23trx_group_commit_leaderEPNS_18group_commit_entryE(this: u64, leader: u64) {
    black_box(this ^ leader) + 20
});
exported!(_ZN13MYSQL_BIN_LOG22queue_for_group_commitEPNS_18group_commit_entryE(this: u64, entry: u64) {
    black_box(this ^ entry) + 21
});
exported!(_ZN13MYSQL_BIN_LOG25write_transaction_or_stmtEPNS_18group_commit_entryEy(this: u64, entry: u64, id: u64) {
    black_box(this ^ entry ^ id) + 22
});

/// A read-write commit.
pub(crate) fn commit(mut work: impl FnMut()) {
    _Z15ha_commit_transP3THDb(&mut work, true);
}

/// What a read-only commit does: it passes neither of the two calls.
pub(crate) fn read_only_commit() {
    _Z15ha_commit_transP3THDb(&mut || (), false);
}

/// XA PREPARE.
pub(crate) fn xa_prepare(mut work: impl FnMut()) {
    _Z16trans_xa_prepareP3THD(&mut work);
}

/// XA COMMIT.
pub(crate) fn xa_commit(mut work: impl FnMut()) {
    _Z15trans_xa_commitP3THD(&mut work);
}

/// A server's way to commit in groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Server {
    MySql,
    MariaDb,
}

const BINLOG: u64 = 0x1000;

impl Server {
    /// The commit that is called `name` enters the queue of its group.
    pub(crate) fn enter(self, name: u64) {
        match self {
            Self::MySql => {
                _ZN13MYSQL_BIN_LOG14ordered_commitEP3THDbb(BINLOG, name);
            }
            Self::MariaDb => {
                _ZN13MYSQL_BIN_LOG22queue_for_group_commitEPNS_18group_commit_entryE(BINLOG, name);
            }
        }
    }

    /// The leader takes the queue, with the commits that are called `names` in it.
    pub(crate) fn lead(self, names: &[u64]) {
        match self {
            Self::MySql => {
                _ZN13MYSQL_BIN_LOG25process_flush_stage_queueEPyPP3THD(BINLOG, 0);
            }
            Self::MariaDb => {
                for &name in names {
                    _ZN13MYSQL_BIN_LOG23trx_group_commit_leaderEPNS_18group_commit_entryE(BINLOG, name);
                    _ZN13MYSQL_BIN_LOG25write_transaction_or_stmtEPNS_18group_commit_entryEy(BINLOG, name, 1);
                }
            }
        }
    }
}
