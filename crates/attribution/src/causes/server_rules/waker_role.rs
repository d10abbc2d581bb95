//! Part of the thread that ends a wait in a function of the server.

/// Part that the thread which ends a wait has in it. The table of functions says it for each function, from the source file
/// that stands above it there: what the one who signals has done, not who it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WakerRole {
    /// Worker, whose work was waited for all of the time. The worker in front on a replica first executes its
    /// transaction; page cleaner and log threads do nothing else.
    Worked,
    /// Holder of a lock, a stage or a group of commits, who gave it back. It cannot have had these before its own commit
    /// began.
    Held,
    /// Completion of the wait alone: by the last of a number of commits, the receiver of a message from another machine, who
    /// switches something off; or by nobody, where the thread sleeps and looks again. What it did before explains nothing.
    Completed,
}
