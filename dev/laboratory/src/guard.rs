//! Changes of the machine that are taken back, also when this process is killed.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};

use rustix::process::setsid;

/// Change of the machine that is taken back when this is dropped, or when this process ends in whatever way.
///
/// A process of its own waits for the end of a pipe that only this process holds open, and then takes the change back. It
/// has a session of its own, so that Ctrl-C does not reach it.
#[derive(Debug)]
pub struct Guard {
    waiting: Child,
}

impl Guard {
    /// Starts to wait. `undo` is a command of the shell with its arguments as `$1`, `$2` and so on.
    pub fn new(undo: &str, arguments: &[&str]) -> io::Result<Self> {
        let mut command = Command::new("sh");
        command
            .args(["-c", &format!("read -r _; {undo}"), "undo"])
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let new_session = || setsid().map(drop).map_err(io::Error::from);
        #[expect(
            unsafe_code,
            reason = "the standard library marks code between fork and exec so"
        )]
        // SAFETY: setsid is a system call alone; it allocates nothing and takes no lock.
        let command = unsafe { command.pre_exec(new_session) };
        Ok(Self {
            waiting: command.spawn()?,
        })
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        drop(self.waiting.stdin.take());
        // Who made the change relies on its end.
        let _ = self.waiting.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_change_is_taken_back_at_the_end() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("undone");
        let guard = Guard::new("touch \"$1\"", &[file.to_str().unwrap()]).unwrap();
        assert!(!file.exists());
        drop(guard);
        assert!(file.exists());
    }
}
