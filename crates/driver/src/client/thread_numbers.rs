//! Numbers of the threads of a server in a PID namespace of its own, as in a container.

use logtrace_common::process::ProcessHandle;

/// Returns the number by which this machine knows the thread that a server knows as `thread`; `None` if there is no such
/// thread. `process` is the server, if it is on this machine.
///
/// A server reads its threads' numbers in its own PID namespace (`gettid`), and the kernel's programs those of the first
/// one.
pub(crate) fn number_here(process: Option<&ProcessHandle>, thread: u32) -> Option<u32> {
    let Some(process) = process else {
        return Some(thread);
    };
    if process.number_inside("status").is_none() {
        return Some(thread);
    }
    let mut threads: Vec<u32> = process.threads().collect();
    // The thread of a new connection is mostly the last one.
    threads.sort_unstable();
    threads
        .into_iter()
        .rev()
        .find(|here| process.number_inside(&format!("task/{here}/status")) == Some(thread))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn threads_of_this_namespace_and_of_other_machines_keep_their_numbers() {
        assert_eq!(number_here(None, 7), Some(7));
        assert_eq!(number_here(Some(&ProcessHandle::own().unwrap()), 7), Some(7));
    }

    mod needs_root {
        use super::*;

        #[test]
        fn a_thread_in_a_namespace_of_its_own_is_found() {
            let mut unshare = Command::new("unshare")
                .args(["--pid", "--fork", "--kill-child", "cat"])
                .stdin(Stdio::piped())
                .spawn()
                .unwrap();
            let id = unshare.id();
            let children = format!("/proc/{id}/task/{id}/children");
            let child = loop {
                let list = fs::read_to_string(&children).unwrap();
                if let Some(child) = list.split_whitespace().next() {
                    break child.parse().unwrap();
                }
            };
            let held = ProcessHandle::open(child).unwrap();
            let found = (number_here(Some(&held), 1), number_here(Some(&held), 2));
            drop(unshare.stdin.take());
            unshare.wait().unwrap();
            assert_eq!(found, (Some(child), None));
        }
    }
}
