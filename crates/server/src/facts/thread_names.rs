//! Names of threads.

use std::collections::BTreeMap;

use logtrace_common::process::ProcessHandle;

/// Longest name that the kernel has (include/linux/sched.h, `TASK_COMM_LEN` without the final 0).
const MOST_BYTES: usize = 15;

/// Reads the names of some threads of a process (`/proc/PID/task/TID/comm`). Threads that have ended, and those that were given no
/// name and have that of the process, are left out.
pub fn thread_names(
    process: &ProcessHandle,
    threads: impl IntoIterator<Item = u32>,
) -> BTreeMap<u32, String> {
    let of_process = name(process, process.pid()).unwrap_or_default();
    let named = threads
        .into_iter()
        .filter_map(|tid| Some((tid, name(process, tid)?)));
    named
        .filter(|(_, name)| !name.is_empty() && *name != of_process)
        .collect()
}

fn name(process: &ProcessHandle, tid: u32) -> Option<String> {
    let name = process.bytes(format!("task/{tid}/comm")).ok()?;
    Some(printable(&name))
}

/// Returns a name that cannot harm a terminal: a thread may have any bytes as its name.
fn printable(name: &[u8]) -> String {
    let name = String::from_utf8_lossy(&name[..name.len().min(MOST_BYTES + 1)]);
    name.trim_end().replace(|letter: char| letter.is_control(), "?")
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::thread;
    use std::time::{Duration, Instant};

    use rustix::thread::gettid;

    use super::*;

    #[test]
    fn a_thread_has_its_own_name_and_one_that_ended_has_none() {
        let (ids, named) = channel();
        let (end, ended) = channel::<()>();
        let other = thread::Builder::new().name("io_log_writer".to_owned());
        let other = other.spawn(move || {
            ids.send(u32::try_from(gettid().as_raw_nonzero().get()).unwrap())
                .unwrap();
            let _ = ended.recv();
        });
        let (own, tid) = (ProcessHandle::own().unwrap(), named.recv().unwrap());
        let pid = own.pid();
        let names = thread_names(&own, [pid, tid, 1 << 22]);
        assert_eq!(names, BTreeMap::from([(tid, "io_log_writer".to_owned())]));
        drop(end);
        other.unwrap().join().unwrap();
        // A join returns when the thread has cleared its id in memory, which it does while it ends (do_exit, mm_release): the kernel
        // may still list it.
        let joined = Instant::now();
        while !thread_names(&own, [tid]).is_empty() {
            assert!(joined.elapsed() < Duration::from_secs(60), "it is still listed");
            thread::yield_now();
        }
    }

    #[test]
    fn a_name_has_no_control_characters() {
        assert_eq!(printable(b"a\x1b[2J\n"), "a?[2J");
        assert_eq!(printable(b"ib_log_flush\n"), "ib_log_flush");
    }
}
