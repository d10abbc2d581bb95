//! Thread of a server that receives the acknowledgements of replicas (semi-synchronous replication).
//!
//! That thread wakes a commit that waits for a replica. The thread itself waits for the replicas' sockets. Its waits
//! alone look like those of any connection that holds a lock. There may be no login, so the server is not asked: MySQL
//! names the thread, and in MariaDB, which names no threads, the symbol of the thread's function identifies it. It is looked
//! up once, when tracing starts: a probe on the wait would cost something at every commit.

use std::ops::Range;
use std::sync::Arc;

use crate::attached::process_memory::ProcessMemory;
use crate::facts::server::ServerFacts;
use logtrace_common::Flavor;
use logtrace_common::process::ProcessHandle;

/// Name of the thread in MySQL since 8.0.27 (`all_semisync_threads` in plugin/semisync/semisync_source_plugin.cc).
const NAME: &str = "ss_ack";

/// `Ack_receiver::run()`, the function of the thread. In MariaDB it is a part of the server
/// (sql/semisync_master_ack_receiver.cc).
const FUNCTION: &str = "_ZN12Ack_receiver3runEv";

/// Largest distance of the function's frame from the top of the stack of a waiting thread. The frames of a condition
/// variable's wait are in between.
pub(crate) const DEPTH: usize = 4 << 10;

/// Number of attempts: a thread that runs at the moment has no readable stack.
pub(crate) const LOOKS: u32 = 50;

impl ServerFacts {
    /// Returns the thread that receives the acknowledgements of replicas, if there is one. Needs root.
    pub fn ack_receiver(&self) -> Option<u32> {
        let process = self.process.as_ref()?;
        let enabled = self.variables.get("rpl_semi_sync_master_enabled");
        match self.flavor {
            Flavor::MySql => by_name(process),
            Flavor::MariaDb if enabled.is_some_and(|value| value == "OFF") => None,
            Flavor::MariaDb => by_stack(process),
        }
    }
}

fn by_name(process: &ProcessHandle) -> Option<u32> {
    let mut threads = process.threads();
    threads.find(|&tid| is_named(process, tid))
}

fn by_stack(process: &Arc<ProcessHandle>) -> Option<u32> {
    let memory = ProcessMemory::find(process, &[FUNCTION]).ok()?;
    let code = memory.range(FUNCTION)?;
    let mut threads = process.threads();
    threads.find(|&tid| is_inside(process, tid, &code, &memory))
}

fn is_named(process: &ProcessHandle, tid: u32) -> bool {
    let name = process.bytes(format!("task/{tid}/comm"));
    name.is_ok_and(|name| name.starts_with(NAME.as_bytes()))
}

/// Returns whether a call of the thread returns into `code`.
fn is_inside(process: &ProcessHandle, tid: u32, code: &Range<u64>, memory: &ProcessMemory) -> bool {
    let path = format!("task/{tid}/syscall");
    let top = (0..LOOKS).find_map(|_| stack_pointer(&process.text(&path).ok()?));
    top.is_some_and(|top| {
        let words = memory.words(top, DEPTH);
        // The start of the code is what a pointer to the function holds.
        words
            .iter()
            .any(|&word| word != code.start && code.contains(&word))
    })
}

/// Reads the stack pointer from `/proc/PID/task/TID/syscall`: `NUMBER ARGUMENTS STACK CODE`, or `-1 STACK CODE`, or
/// `running` (proc(5)).
pub(crate) fn stack_pointer(text: &str) -> Option<u64> {
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
        let process = &Arc::new(ProcessHandle::own().unwrap());
        assert_eq!(by_name(process), None);
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
