//! Rules for waits outside file I/O, by the system call in which a thread blocked and by its waker.

use logtrace_events::{IoOp, OffCpu, Tid, Wake};

use crate::causes::Wait;

/// Reason of an off-CPU interval outside file I/O until the wake-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Awaited {
    /// Another thread of the server. Its work in that time is the cause.
    Thread(Waker),
    /// Wait that is a cause itself.
    Itself(Wait),
}

/// Thread of the server that ended a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Waker {
    /// The thread.
    pub(crate) tid: Tid,
    /// Time of the wake-up.
    pub(crate) at_ns: u64,
    /// Start of its commit at that time, if it was in one.
    pub(crate) commit_ns: Option<u64>,
}

/// Numbers of x86-64 system calls (arch/x86/entry/syscalls/syscall_64.tbl).
mod syscall {
    pub(super) const READ: u16 = 0;
    pub(super) const POLL: u16 = 7;
    pub(super) const PREAD64: u16 = 17;
    pub(super) const SELECT: u16 = 23;
    pub(super) const NANOSLEEP: u16 = 35;
    pub(super) const ACCEPT: u16 = 43;
    pub(super) const RECVFROM: u16 = 45;
    pub(super) const RECVMSG: u16 = 47;
    pub(super) const FUTEX: u16 = 202;
    pub(super) const IO_GETEVENTS: u16 = 208;
    pub(super) const IO_SUBMIT: u16 = 209;
    pub(super) const CLOCK_NANOSLEEP: u16 = 230;
    pub(super) const EPOLL_WAIT: u16 = 232;
    pub(super) const PSELECT6: u16 = 270;
    pub(super) const PPOLL: u16 = 271;
    pub(super) const EPOLL_PWAIT: u16 = 281;
    pub(super) const ACCEPT4: u16 = 288;
    pub(super) const PREADV: u16 = 295;
    pub(super) const RECVMMSG: u16 = 299;
    pub(super) const PREADV2: u16 = 327;
    pub(super) const IO_PGETEVENTS: u16 = 333;
    pub(super) const IO_URING_ENTER: u16 = 426;
    pub(super) const EPOLL_PWAIT2: u16 = 441;
    pub(super) const FUTEX_WAITV: u16 = 449;
    pub(super) const FUTEX_WAIT: u16 = 455;
}

/// Returns the reason of `off` in the server with process id `server_tgid`.
///
/// A wake-up by a system call of another thread of the server names the thread that it waited for. Other wake-ups come from
/// an interrupt or another process, or were not recorded; then the system call in which the thread blocked decides.
pub(crate) fn awaited(off: &OffCpu, server_tgid: u32) -> Awaited {
    match off.wake {
        Wake::By {
            at_ns,
            tid,
            tgid,
            commit_ns,
            syscall: Some(_),
        } if tgid == server_tgid => Awaited::Thread(Waker {
            tid,
            at_ns,
            commit_ns,
        }),
        _ if waits_for_client(off) => Awaited::Itself(Wait::Client),
        wake => Awaited::Itself(
            off.syscall
                .map_or(Wait::Unexplained, |number| ended_wait(number, wake)),
        ),
    }
}

/// Returns the wait in this system call if no thread of the server ended it.
fn ended_wait(number: u16, wake: Wake) -> Wait {
    let interrupted = matches!(wake, Wake::By { syscall: None, .. });
    match number {
        // Tasks end a futex wait by a system call; an interrupt ends it only by its time-out.
        syscall::FUTEX | syscall::FUTEX_WAIT | syscall::FUTEX_WAITV if interrupted => Wait::TimedWait,
        // `select` without descriptors is how older servers sleep (mysys/my_sleep.c).
        syscall::NANOSLEEP | syscall::CLOCK_NANOSLEEP | syscall::SELECT | syscall::PSELECT6 => Wait::Timer,
        syscall::IO_SUBMIT | syscall::IO_GETEVENTS | syscall::IO_PGETEVENTS | syscall::IO_URING_ENTER => {
            Wait::AsyncIo
        }
        // Pages are read with these, and sockets never are.
        syscall::PREAD64 | syscall::PREADV | syscall::PREADV2 => Wait::DeviceIo,
        _ if is_on_metadata(number) => Wait::FileMetadata,
        _ if IoOp::from_syscall(number.into()).is_some() => Wait::FileIo,
        syscall::READ => Wait::FileIo,
        _ => Wait::Unexplained,
    }
}

/// Returns whether the system call opens, creates, looks up, names, removes or resizes a file: open, close, stat, fstat, lstat,
/// access, truncate, ftruncate, getdents, rename, mkdir, rmdir, creat, link, unlink, chmod, fchmod, getdents64, openat,
/// newfstatat, unlinkat, renameat, fallocate, renameat2, statx, openat2.
fn is_on_metadata(number: u16) -> bool {
    matches!(
        number,
        2..=6 | 21 | 76..=78 | 82..=87 | 90 | 91 | 217 | 257 | 262..=264 | 285 | 316 | 332 | 437
    )
}

/// Returns whether a server thread waits for a client's data in `off`.
pub(crate) fn waits_for_client(off: &OffCpu) -> bool {
    // A read of a file sleeps so that no signal ends it, and has a stack; one of a socket has none. Who was preempted did not
    // wait, and may read a file.
    off.stack.is_none() && off.wake != Wake::Preempted && off.syscall.is_some_and(reads_from_client)
}

fn reads_from_client(number: u16) -> bool {
    matches!(
        number,
        syscall::READ
            | syscall::POLL
            | syscall::PPOLL
            | syscall::ACCEPT
            | syscall::ACCEPT4
            | syscall::RECVFROM
            | syscall::RECVMSG
            | syscall::RECVMMSG
            | syscall::EPOLL_WAIT
            | syscall::EPOLL_PWAIT
            | syscall::EPOLL_PWAIT2
    )
}

/// Returns whether a server thread is idle in `off`: it waits for a client's data, or, without a client, for a new connection.
///
/// The thread of a connection that ended waits for a futex until the server's main thread hands it a new one
/// (block_until_new_connection() in sql/conn_handler/connection_handler_per_thread.cc of MySQL, Thread_cache::park() in
/// sql/thread_cache.h of MariaDB).
/// The main thread does nothing else while the server runs.
pub(crate) fn waits_for_request(off: &OffCpu) -> bool {
    let is_of_main_thread = matches!(off.wake, Wake::By { tid, tgid, syscall: Some(_), .. } if tid == tgid);
    match off.syscall {
        _ if waits_for_client(off) => true,
        Some(syscall::FUTEX) => is_of_main_thread,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use logtrace_events::CpuWait;

    use super::*;

    const SERVER: u32 = 100;
    const CLIENT: u32 = 200;

    fn off(blocked_in: Option<u16>, wakers_tgid: u32, wakers_syscall: Option<u16>) -> OffCpu {
        OffCpu {
            tid: 1,
            out_ns: 0,
            in_ns: 20,
            wake: Wake::By {
                at_ns: 10,
                tid: 2,
                tgid: wakers_tgid,
                commit_ns: None,
                syscall: wakers_syscall,
            },
            syscall: blocked_in,
            stack: None,
            cpu_wait: CpuWait::Unknown,
        }
    }

    fn waited(blocked_in: u16, wakers_tgid: u32, wakers_syscall: Option<u16>) -> Awaited {
        awaited(&off(Some(blocked_in), wakers_tgid, wakers_syscall), SERVER)
    }

    #[test]
    fn a_server_thread_is_waited_for_only_when_it_woke_from_a_system_call() {
        let thread = Awaited::Thread(Waker {
            tid: 2,
            at_ns: 10,
            commit_ns: None,
        });
        assert_eq!(waited(syscall::FUTEX, SERVER, Some(syscall::FUTEX)), thread);
        assert_eq!(
            waited(syscall::FUTEX, SERVER, None),
            Awaited::Itself(Wait::TimedWait)
        );
    }

    #[test]
    fn a_read_that_no_signal_ends_is_no_wait_for_a_client() {
        let of_socket = off(Some(syscall::READ), CLIENT, None);
        let of_file = OffCpu {
            stack: Some(7),
            ..of_socket
        };
        assert_eq!(awaited(&of_socket, SERVER), Awaited::Itself(Wait::Client));
        assert_eq!(awaited(&of_file, SERVER), Awaited::Itself(Wait::FileIo));
        assert!(waits_for_request(&of_socket) && !waits_for_request(&of_file));
    }

    #[test]
    fn who_is_preempted_in_a_read_does_not_wait_for_a_client() {
        let preempted = OffCpu {
            wake: Wake::Preempted,
            ..off(Some(syscall::READ), CLIENT, None)
        };
        assert!(!waits_for_client(&preempted) && !waits_for_request(&preempted));
    }

    #[test]
    fn an_interrupt_ends_what_the_system_call_waited_for() {
        let expected = [
            (syscall::FUTEX, Wait::TimedWait),
            (syscall::CLOCK_NANOSLEEP, Wait::Timer),
            (syscall::POLL, Wait::Client),
            (syscall::RECVFROM, Wait::Client),
            (syscall::IO_GETEVENTS, Wait::AsyncIo),
            (syscall::IO_SUBMIT, Wait::AsyncIo),
            (syscall::PREAD64, Wait::DeviceIo),
            (75, Wait::FileIo),
            (257, Wait::FileMetadata),
            (285, Wait::FileMetadata),
            (9, Wait::Unexplained),
        ];
        for (number, wait) in expected {
            assert_eq!(waited(number, 0, None), Awaited::Itself(wait), "{number}");
        }
    }

    #[test]
    fn another_process_explains_a_client_wait_and_not_a_lock() {
        let by_client = |number| waited(number, CLIENT, Some(44));
        assert_eq!(by_client(syscall::RECVFROM), Awaited::Itself(Wait::Client));
        assert_eq!(by_client(syscall::FUTEX), Awaited::Itself(Wait::Unexplained));
    }

    #[test]
    fn a_sleep_is_a_sleep_even_if_its_end_was_not_seen_and_a_lock_is_not() {
        for (number, wait) in [
            (syscall::CLOCK_NANOSLEEP, Wait::Timer),
            (syscall::FUTEX, Wait::Unexplained),
        ] {
            let mut unseen = off(Some(number), 0, None);
            unseen.wake = Wake::Unknown;
            assert_eq!(awaited(&unseen, SERVER), Awaited::Itself(wait), "{number}");
        }
    }

    #[test]
    fn the_main_thread_hands_a_new_connection_to_an_idle_thread() {
        let mut idle = off(Some(syscall::FUTEX), SERVER, Some(syscall::FUTEX));
        assert!(!waits_for_request(&idle));
        idle.wake = Wake::By {
            at_ns: 10,
            tid: SERVER,
            tgid: SERVER,
            commit_ns: None,
            syscall: Some(syscall::FUTEX),
        };
        assert!(waits_for_request(&idle));
        assert!(waits_for_request(&off(Some(syscall::POLL), CLIENT, Some(44))));
    }

    #[test]
    fn outside_of_any_system_call_nothing_is_known() {
        assert_eq!(
            awaited(&off(None, 0, None), SERVER),
            Awaited::Itself(Wait::Unexplained)
        );
    }
}
