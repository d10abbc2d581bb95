//! Errors of looking at a process.

use std::io;
use std::path::PathBuf;

/// Reason why a process cannot be looked at, or why what was read is not of one program.
#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    /// There is no such process.
    #[error("there is no process {0}")]
    NoProcess(u32),
    /// The number is that of a thread.
    #[error("{thread} is a thread of process {process}")]
    Thread {
        /// Number that was given.
        thread: u32,
        /// Process of the thread.
        process: u32,
    },
    /// The program cannot be opened.
    #[error("cannot read the program of process {pid} (has it ended? does logtrace run as root?): {error}")]
    Unreadable {
        /// Process.
        pid: u32,
        /// Answer of the kernel.
        error: io::Error,
    },
    /// The process ended.
    #[error("process {0} ended while it was looked at")]
    Ended(u32),
    /// The process executed a program.
    #[error("process {pid} executed another program ({}) while it was looked at; start again", .program.display())]
    Executed {
        /// Process.
        pid: u32,
        /// Program that it runs now.
        program: PathBuf,
    },
}
