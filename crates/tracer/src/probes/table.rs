//! Table of probes, one row each.

use logtrace_common::Detail;

use crate::probes::probe::{Attach, InBursts, Kernels, Probe, Servers};

const fn required(name: &'static str, program: &'static str, attach: Attach) -> Probe {
    Probe {
        name,
        program,
        attach,
        detail: Detail::Commit,
        optional: None,
        servers: Servers::Any,
        kernels: Kernels::All,
        in_bursts: InBursts::Attached,
    }
}

/// Costs more than the others for whatever system call is not traced.
const fn all_syscalls(name: &'static str, program: &'static str) -> Probe {
    Probe {
        detail: Detail::Io,
        in_bursts: InBursts::Replacement,
        ..required(name, program, Attach::BtfTracepoint(name))
    }
}

const fn syscall(name: &'static str, program: &'static str) -> Probe {
    Probe {
        detail: Detail::Io,
        in_bursts: InBursts::Replaced,
        ..required(name, program, Attach::Syscall(name))
    }
}

const fn enter(name: &'static str) -> Probe {
    syscall(name, "on_io_enter")
}

const fn exit(name: &'static str) -> Probe {
    syscall(name, "on_io_exit")
}

const fn flush(name: &'static str, program: &'static str) -> Probe {
    Probe {
        detail: Detail::Full,
        optional: Some("a flush that waits for another one is charged to the device"),
        ..required(name, program, Attach::BtfTracepoint(name))
    }
}

const fn rare(probe: Probe) -> Probe {
    Probe {
        optional: Some("time inside this system call is charged to the server's code"),
        ..probe
    }
}

/// Return of a thread from a call after which a file may have another name.
const fn renamed(name: &'static str) -> Probe {
    Probe {
        optional: Some("a file that is renamed keeps the class of its old name"),
        ..exit(name)
    }
}

/// Tracepoint of newer kernels in a thread that has just got the CPU (include/trace/events/sched.h).
const SWITCHED: &str = "sched_exit_tp";

/// First moment of a thread after a long wait.
const fn switched() -> Probe {
    Probe {
        detail: Detail::Io,
        optional: Some("long waits have no function of the server"),
        kernels: Kernels::With(SWITCHED),
        ..required(SWITCHED, "on_switched", Attach::BtfTracepoint(SWITCHED))
    }
}

/// Return of a thread of the server from a system call in which it waited long.
const fn wait(name: &'static str) -> Probe {
    Probe {
        optional: Some("long waits in this system call have no function of the server"),
        kernels: Kernels::Without(SWITCHED),
        ..syscall(name, "on_wait_exit")
    }
}

/// Probes of the traffic between a server's threads and their clients.
const fn client(name: &'static str) -> Probe {
    Probe {
        detail: Detail::Full,
        optional: Some("statements that follow one another without a wait for the client are told as one"),
        ..syscall(name, "on_client_exit")
    }
}

/// Function of both servers that executes the next request of a client (sql/sql_parse.cc).
const REQUEST: &str = "do_command(THD*";

/// Start of a statement in a thread that serves many clients.
const fn request() -> Probe {
    Probe {
        detail: Detail::Full,
        optional: Some("statements of a pool of threads are not told apart"),
        servers: Servers::WithPool(REQUEST),
        ..required("request", "on_request", Attach::Function(&[REQUEST]))
    }
}

/// Samples a second of each CPU: rare enough to cost nothing, and not in step with timers of 100 or 1,000 Hz.
const SAMPLES_PER_SECOND: u64 = 199;

/// Samples of the functions that run on the CPU.
const fn cpu_sample() -> Probe {
    Probe {
        detail: Detail::Full,
        optional: Some("time on the CPU has no functions"),
        // It takes a right to open a clock, and its interrupts between bursts cost next to nothing.
        in_bursts: InBursts::Stays,
        ..required("cpu clock", "on_cpu_sample", Attach::CpuClock(SAMPLES_PER_SECOND))
    }
}

/// Functions that execute XA COMMIT: sql/xa/sql_xa_commit.cc of MySQL, sql/xa.cc of MariaDB.
const XA_COMMIT: &[&str] = &["Sql_cmd_xa_commit::trans_xa_commit(THD*", "trans_xa_commit(THD*"];
/// Functions that execute XA PREPARE: sql/xa/sql_xa_prepare.cc of MySQL, sql/xa.cc of MariaDB.
const XA_PREPARE: &[&str] = &[
    "Sql_cmd_xa_prepare::trans_xa_prepare(THD*",
    "trans_xa_prepare(THD*",
];

const fn xa(name: &'static str, program: &'static str, attach: Attach) -> Probe {
    Probe {
        optional: Some("this statement's wait does not count as a commit"),
        in_bursts: InBursts::Stays,
        ..required(name, program, attach)
    }
}

/// Commits of a node of a Galera cluster, by the functions of wsrep-lib (src/client_state.cpp). An end is entered when all
/// waits are over: a return is single-stepped, which costs more than the function takes.
const fn galera(name: &'static str, program: &'static str, functions: &'static [&'static str]) -> Probe {
    Probe {
        optional: Some("commits of a Galera cluster are not seen"),
        servers: Servers::With(GIVEN_TO_CLUSTER),
        ..required(name, program, Attach::Function(functions))
    }
}

/// Function that gives a transaction to the cluster, in servers with Galera's interface.
const GIVEN_TO_CLUSTER: &str = "wsrep::client_state::before_prepare(";

/// MariaDB's wait for the redo log after its commit's function has returned (sql/sql_class.cc).
const fn pending(name: &'static str, program: &'static str, functions: &'static [&'static str]) -> Probe {
    Probe {
        optional: Some("the wait for the redo log of a server without binlog is not part of its commit"),
        servers: Servers::With("thd_increment_pending_ops"),
        ..required(name, program, Attach::Function(functions))
    }
}

/// MySQL's group commit, in stages (sql/binlog.cc).
const IN_STAGES: Servers = Servers::With("MYSQL_BIN_LOG::ordered_commit(THD*");
/// MariaDB's group commit (sql/log.cc).
const IN_ONE_QUEUE: Servers = Servers::With("MYSQL_BIN_LOG::trx_group_commit_leader(");

/// Probe of the commit groups that a server states itself.
const fn group(name: &'static str, program: &'static str, functions: &'static [&'static str]) -> Probe {
    Probe {
        optional: Some("who leads whom in a group of commits is told from wake-ups alone"),
        ..required(name, program, Attach::Function(functions))
    }
}

/// MySQL wakes the members of all groups at once, so that wake-ups alone lead to the wrong thread.
const fn stage(name: &'static str, program: &'static str, functions: &'static [&'static str]) -> Probe {
    Probe {
        detail: Detail::Io,
        servers: IN_STAGES,
        ..group(name, program, functions)
    }
}

/// MariaDB wakes the members of a group one by one, so that wake-ups alone lead to the right thread.
const fn queue(name: &'static str, program: &'static str, functions: &'static [&'static str]) -> Probe {
    Probe {
        detail: Detail::Full,
        servers: IN_ONE_QUEUE,
        ..group(name, program, functions)
    }
}

/// Probe table, in the order of attachment. The probes of the commit come last, so that no commit is seen before all of
/// its possible waits are.
pub const PROBES: [Probe; 47] = [
    required("sched_switch", "on_switch", Attach::BtfTracepoint("sched_switch")),
    required("sched_waking", "on_waking", Attach::BtfTracepoint("sched_waking")),
    all_syscalls("sys_enter", "on_sys_enter"),
    all_syscalls("sys_exit", "on_sys_exit"),
    enter("sys_enter_fsync"),
    exit("sys_exit_fsync"),
    enter("sys_enter_fdatasync"),
    exit("sys_exit_fdatasync"),
    enter("sys_enter_write"),
    exit("sys_exit_write"),
    enter("sys_enter_pwrite64"),
    exit("sys_exit_pwrite64"),
    rare(enter("sys_enter_writev")),
    rare(exit("sys_exit_writev")),
    rare(enter("sys_enter_pwritev")),
    rare(exit("sys_exit_pwritev")),
    rare(enter("sys_enter_pwritev2")),
    rare(exit("sys_exit_pwritev2")),
    rare(enter("sys_enter_sync_file_range")),
    rare(exit("sys_exit_sync_file_range")),
    renamed("sys_exit_rename"),
    switched(),
    wait("sys_exit_futex"),
    wait("sys_exit_clock_nanosleep"),
    wait("sys_exit_nanosleep"),
    wait("sys_exit_select"),
    // What `select` of newer C libraries calls.
    wait("sys_exit_pselect6"),
    client("sys_exit_sendto"),
    client("sys_exit_recvfrom"),
    request(),
    cpu_sample(),
    flush("block_rq_issue", "on_flush_issue"),
    flush("block_rq_complete", "on_flush_complete"),
    xa("XA COMMIT begin", "on_xa_begin", Attach::Function(XA_COMMIT)),
    xa("XA COMMIT end", "on_xa_end", Attach::End(XA_COMMIT)),
    xa("XA PREPARE begin", "on_xa_begin", Attach::Function(XA_PREPARE)),
    xa("XA PREPARE end", "on_xa_end", Attach::End(XA_PREPARE)),
    galera("Galera commit begin", "on_galera_begin", &[GIVEN_TO_CLUSTER]),
    galera(
        "Galera commit end",
        "on_galera_end",
        &[
            "wsrep::client_state::after_commit(",
            "wsrep::client_state::after_rollback(",
        ],
    ),
    pending("log wait begin", "on_async_begin", &["thd_increment_pending_ops"]),
    pending("log wait end", "on_async_end", &["thd_decrement_pending_ops"]),
    stage(
        "flush stage",
        "on_flush_join",
        &["MYSQL_BIN_LOG::ordered_commit(THD*"],
    ),
    stage(
        "flush stage leader",
        "on_flush_lead",
        &["MYSQL_BIN_LOG::process_flush_stage_queue("],
    ),
    queue(
        "group commit queue",
        "on_group_join",
        &["MYSQL_BIN_LOG::queue_for_group_commit("],
    ),
    queue(
        "group commit member",
        "on_group_member",
        &["MYSQL_BIN_LOG::write_transaction_or_stmt("],
    ),
    required("commit begin", "on_commit_begin", Attach::CommitBegin),
    required("commit end", "on_commit_end", Attach::CommitEnd),
];

/// Probes of which each would see half of what happens without the other.
const PAIRS: [(&str, &str); 6] = [
    ("XA COMMIT begin", "XA COMMIT end"),
    ("XA PREPARE begin", "XA PREPARE end"),
    ("Galera commit begin", "Galera commit end"),
    ("log wait begin", "log wait end"),
    ("flush stage", "flush stage leader"),
    ("group commit queue", "group commit member"),
];

/// Returns the name of the probe without which this one would see half of what happens.
pub(crate) fn counterpart(name: &str) -> Option<&'static str> {
    PAIRS.into_iter().find_map(|(one, other)| match name {
        _ if name == one => Some(other),
        _ if name == other => Some(one),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::overhead::program_runs::PROGRAMS;

    #[test]
    fn every_program_is_counted() {
        assert!(PROBES.iter().all(|probe| PROGRAMS.contains(&probe.program)));
    }

    #[test]
    fn names_are_unique() {
        let names: HashSet<_> = PROBES.iter().map(|probe| probe.name).collect();
        assert_eq!(names.len(), PROBES.len());
    }

    #[test]
    fn counterparts_are_optional_probes() {
        let optional = |name| {
            PROBES
                .iter()
                .any(|probe| probe.name == name && probe.optional.is_some())
        };
        assert!(
            PAIRS
                .into_iter()
                .all(|(one, other)| optional(one) && optional(other))
        );
        assert_eq!(counterpart("flush stage leader"), Some("flush stage"));
        assert_eq!(counterpart("commit begin"), None);
    }

    #[test]
    fn every_entry_has_its_exit() {
        for probe in &PROBES {
            if let Some(call) = probe.name.strip_prefix("sys_enter") {
                let exit = PROBES
                    .iter()
                    .find(|other| other.name.strip_prefix("sys_exit") == Some(call));
                assert_eq!(exit.map(|exit| exit.optional), Some(probe.optional), "{call}");
            }
        }
    }
}
