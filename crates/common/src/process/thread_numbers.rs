//! Numbers of a process and its threads in a PID namespace of their own, as in a container.

use crate::process::process_handle::ProcessHandle;

impl ProcessHandle {
    /// Returns the number in the innermost PID namespace of what a status file of its directory in `/proc` is about (`status`,
    /// `task/TID/status`); `None` if that is the namespace of the reader, or on kernels that do not tell.
    pub fn number_inside(&self, status: &str) -> Option<u32> {
        innermost(&String::from_utf8_lossy(&self.bytes(status).ok()?))
    }
}

/// Returns the last of the numbers of `NSpid` in a status (proc(5)), if there are several.
fn innermost(status: &str) -> Option<u32> {
    let numbers = status.lines().find_map(|line| line.strip_prefix("NSpid:"))?;
    numbers.split_whitespace().skip(1).last()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_in_the_own_namespace_is_the_last_one() {
        let status = |numbers: &str| format!("Name:\tmysqld\nNgid:\t0\nNSpid:{numbers}\nNSpgid:\t1\n");
        assert_eq!(innermost(&status("\t4711")), None);
        assert_eq!(innermost(&status("\t4711\t12")), Some(12));
        assert_eq!(innermost(&status("\t4711\t12\t3")), Some(3));
        assert_eq!(innermost("Name:\tmysqld\n"), None);
        assert_eq!(innermost(&status("\t4711\tx")), None);
    }
}
