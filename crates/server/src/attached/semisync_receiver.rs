//! Which thread of a server receives the acknowledgements of replicas (semi-synchronous replication).
//!
//! A commit that waits for a replica is woken by that thread, which itself waits for the replicas' sockets. From its
//! waits alone it could be any connection that holds a lock. The server is not asked, as there may be no login: MySQL
//! names the thread, and of MariaDB, which names none, the function that the thread runs is known by its symbol.

use std::fs;
use std::ops::Range;

use crate::attached::process_memory::Globals;
use crate::facts::server::ServerFacts;
use logtrace_common::Flavor;

/// What MySQL calls the thread since 8.0.27 (`all_semisync_threads` in plugin/semisync/semisync_source_plugin.cc).
const NAME: &str = "ss_ack";

/// `Ack_receiver::run()`, which the thread is in as long as it lives. In MariaDB it is a part of the server
/// (sql/semisync_master_ack_receiver.cc).
const FUNCTION: &str = "_ZN12Ack_receiver3runEv";

/// How far from the top of the stack of a thread that waits in the function its frame is at most: in between are those
/// of a condition variable's wait.
const DEPTH: usize = 4 << 10;

/// A thread that happens to run has no stack to look at, and is looked at again.
const LOOKS: u32 = 50;

impl ServerFacts {
    /// The thread that receives the acknowledgements of replicas, if there is one; needs root.
    pub fn ack_receiver(&self) -> Option<u32> {
        let enabled = self.variables.get("rpl_semi_sync_master_enabled");
        match self.flavor {
            Flavor::MySql => by_name(self.pid),
            Flavor::MariaDb if enabled.is_some_and(|value| value == "OFF") => None,
            Flavor::MariaDb => by_stack(self.pid),
        }
    }
}

fn by_name(pid: u32) -> Option<u32> {
    let mut threads = threads(pid).into_iter();
    threads.find(|&tid| is_named(pid, tid))
}

fn by_stack(pid: u32) -> Option<u32> {
    let globals = Globals::find(pid, &[FUNCTION]).ok()?;
    let code = globals.range(FUNCTION)?;
    let mut threads = threads(pid).into_iter();
    threads.find(|&tid| is_inside(pid, tid, &code, &globals))
}

/// The threads of a process; none of one that is gone.
fn threads(pid: u32) -> Vec<u32> {
    let entries = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten();
    let names = entries.flatten().map(|entry| entry.file_name());
    names.filter_map(|name| name.to_str()?.parse().ok()).collect()
}

fn is_named(pid: u32, tid: u32) -> bool {
    let name = fs::read_to_string(format!("/proc/{pid}/task/{tid}/comm"));
    name.is_ok_and(|name| name.starts_with(NAME))
}

/// Whether a call of a thread returns into `code`.
fn is_inside(pid: u32, tid: u32, code: &Range<u64>, globals: &Globals) -> bool {
    let path = format!("/proc/{pid}/task/{tid}/syscall");
    let top = (0..LOOKS).find_map(|_| stack_pointer(&fs::read_to_string(&path).ok()?));
    top.is_some_and(|top| {
        let words = globals.words(top, DEPTH);
        // The start of the code is what a pointer to the function holds.
        words
            .iter()
            .any(|&word| word != code.start && code.contains(&word))
    })
}

/// From `/proc/PID/task/TID/syscall`: `NUMBER ARGUMENTS STACK CODE`, or `-1 STACK CODE`, or `running` (proc(5)).
fn stack_pointer(text: &str) -> Option<u64> {
    let mut words = text.split_whitespace().rev().skip(1);
    let address = words.next()?.strip_prefix("0x")?;
    u64::from_str_radix(address, 16).ok()
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::thread;

    use super::*;

    #[test]
    fn the_stack_of_a_thread_that_waits_is_known() {
        let inside = "7 0x7f 0x1 0x3e8 0x0 0x0 0x0 0x7f0a10 0x7f0b20\n";
        assert_eq!(stack_pointer(inside), Some(0x7f_0a10));
        assert_eq!(stack_pointer("-1 0x7f0a10 0x7f0b20\n"), Some(0x7f_0a10));
        assert_eq!(stack_pointer("running\n"), None);
        assert_eq!(stack_pointer(""), None);
    }

    #[test]
    fn a_thread_is_known_by_its_name() {
        let process = std::process::id();
        assert_eq!(by_name(process), None);
        assert_eq!(by_name(4_194_305), None, "no such process");
        assert_eq!(by_stack(process), None, "no such function");
        let (end, ended) = mpsc::channel::<()>();
        let (tell, told) = mpsc::channel();
        let receiver = thread::Builder::new()
            .name(format!("{NAME}-1"))
            .spawn(move || {
                let tid = rustix::thread::gettid().as_raw_nonzero().get().cast_unsigned();
                tell.send(tid).unwrap();
                // Until the other end is dropped.
                let _ = ended.recv();
            })
            .unwrap();
        // It has its name before it tells anything.
        let tid = told.recv().unwrap();
        assert_eq!(by_name(process), Some(tid));
        drop(end);
        receiver.join().unwrap();
    }
}
