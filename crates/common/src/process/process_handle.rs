//! One process, running one program.

use std::fs::{File, Metadata};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use procfs::process::Process;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::OFlags;
use rustix::process::{Pid, PidfdFlags, pidfd_open};

use crate::process::error::ProcessError;

/// Process that runs a server's program.
///
/// The number of a process may become another one's, and a process may execute another program at any moment. This holds
/// three descriptors from before the first read: of the process, of its directory in `/proc`, and of its program, which is
/// opened once. What is read by them is never of another process, and the program is always the same file.
/// [`still_same`](Self::still_same) tells whether the rest was read of the same program, too.
#[derive(Debug)]
pub struct ProcessHandle {
    pid: u32,
    /// File descriptor of the process (pidfd_open(2)).
    pidfd: OwnedFd,
    /// Its directory in `/proc`, as a descriptor: it has no content once the process has ended.
    entry: Process,
    /// Its program (`/proc/PID/exe`).
    program: File,
    image: Image,
}

/// Device and inode of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceAndInode {
    /// Device (`st_dev`).
    pub device: u64,
    /// Number in its file system.
    pub inode: u64,
}

impl From<&Metadata> for DeviceAndInode {
    fn from(found: &Metadata) -> Self {
        Self {
            device: found.dev(),
            inode: found.ino(),
        }
    }
}

/// Execution of a program by a process. The kernel chooses the addresses anew for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Image {
    /// Time at which the process started, in ticks.
    started: u64,
    /// Lowest address of the code, and of the first stack.
    addresses: MemoryAddresses,
}

/// Addresses in memory, from `/proc/PID/stat` (fs/proc/array.c, `do_task_stat`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MemoryAddresses {
    Known(u64, u64),
    /// For who may not know them.
    Hidden,
    /// The program is being executed: there are none yet.
    NotYet,
}

/// Longest wait for a program that is being executed.
const EXECUTING: Duration = Duration::from_secs(1);

impl ProcessHandle {
    /// Takes hold of a process, and of the program that it runs.
    pub fn open(pid: u32) -> Result<Self, ProcessError> {
        let number = i32::try_from(pid).ok().and_then(Pid::from_raw);
        let number = number.ok_or(ProcessError::NoProcess(pid))?;
        let pidfd = pidfd_open(number, PidfdFlags::empty()).map_err(|_| no_process(pid))?;
        let entry = Process::new(number.as_raw_nonzero().get()).map_err(|_| no_process(pid))?;
        let image = Image::executed(&entry).ok_or(ProcessError::Ended(pid))?;
        let program = entry.open_relative("exe");
        let program = program.map_err(|error| ProcessError::Unreadable {
            pid,
            error: io::Error::other(error),
        })?;
        let process = Self {
            pid,
            pidfd,
            entry,
            program,
            image,
        };
        // The number was the process's all the time: it lives, and so does its number.
        process.still_same()?;
        Ok(process)
    }

    /// Takes hold of the calling process.
    pub fn own() -> Result<Self, ProcessError> {
        Self::open(std::process::id())
    }

    /// Returns the number of the process.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Returns the descriptor of the process, which is readable once it has ended.
    pub fn pidfd(&self) -> BorrowedFd<'_> {
        self.pidfd.as_fd()
    }

    /// Returns the directory of the process in `/proc`.
    pub fn entry(&self) -> &Process {
        &self.entry
    }

    /// Returns the open program. Its position is shared: read at offsets.
    pub fn program(&self) -> io::Result<File> {
        self.program.try_clone()
    }

    /// Returns device and inode of the program.
    pub fn program_id(&self) -> io::Result<DeviceAndInode> {
        Ok(DeviceAndInode::from(&self.program.metadata()?))
    }

    /// Returns a path that leads this process to the open program, as long as this lives.
    pub fn path_to_program(&self) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", self.program.as_raw_fd()))
    }

    /// Returns the path of the program, as the process sees it. It is for display alone.
    pub fn program_name(&self) -> io::Result<PathBuf> {
        self.entry.exe().map_err(io::Error::other)
    }

    /// Returns whether the process has not ended. A process that ended and was not reaped has.
    pub fn is_alive(&self) -> bool {
        let mut fds = [PollFd::new(&self.pidfd, PollFlags::IN)];
        let now = Timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        poll(&mut fds, Some(&now)).is_ok_and(|ready| ready == 0)
    }

    /// Fails if the process has ended, or has executed a program since it was opened.
    ///
    /// Without the right to look at the process (CAP_SYS_PTRACE), which a tracer gives up, only its end is seen. That is
    /// enough for probes: they are in the file behind [`path_to_program`](Self::path_to_program), whatever the process runs.
    pub fn still_same(&self) -> Result<(), ProcessError> {
        let place = OFlags::PATH | OFlags::CLOEXEC;
        let found = self.entry.open_relative_flags("exe", place).ok();
        let found = found.and_then(|file| file.metadata().ok());
        let image = Image::of(&self.entry);
        // This comes last: who lives now did so while the rest was read.
        let (true, Some(image)) = (self.is_alive(), image) else {
            return Err(ProcessError::Ended(self.pid));
        };
        let is_other = found.is_some_and(|found| {
            let ours = self.program.metadata();
            ours.map_or(true, |ours| {
                DeviceAndInode::from(&ours) != DeviceAndInode::from(&found)
            })
        });
        if is_other || image.is_other_than(self.image) {
            return Err(ProcessError::Executed {
                pid: self.pid,
                program: self.program_name().unwrap_or_default(),
            });
        }
        Ok(())
    }
}

impl Image {
    /// Reads it once the program has its place in memory.
    fn executed(entry: &Process) -> Option<Self> {
        let start = Instant::now();
        loop {
            let image = Self::of(entry)?;
            if image.addresses != MemoryAddresses::NotYet || start.elapsed() > EXECUTING {
                return Some(image);
            }
            thread::yield_now();
        }
    }

    /// Reads it from `/proc/PID/stat`, which all may open.
    fn of(entry: &Process) -> Option<Self> {
        let stat = entry.stat().ok()?;
        Some(Self {
            started: stat.starttime,
            addresses: match (stat.startcode, stat.startstack) {
                (0, _) => MemoryAddresses::NotYet,
                (1, _) => MemoryAddresses::Hidden,
                (code, stack) => MemoryAddresses::Known(code, stack),
            },
        })
    }

    fn is_other_than(self, before: Self) -> bool {
        let are_other = match (before.addresses, self.addresses) {
            (_, MemoryAddresses::Hidden) | (MemoryAddresses::Hidden, MemoryAddresses::Known(..)) => false,
            (before, now) => now == MemoryAddresses::NotYet || now != before,
        };
        self.started != before.started || are_other
    }
}

/// Returns why a number is not that of a process.
fn no_process(pid: u32) -> ProcessError {
    let entry = i32::try_from(pid).ok().and_then(|pid| Process::new(pid).ok());
    let status = entry.and_then(|entry| entry.status().ok());
    match status.and_then(|status| u32::try_from(status.tgid).ok()) {
        Some(process) if process != pid => ProcessError::Thread { thread: pid, process },
        _ => ProcessError::NoProcess(pid),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;
    use std::os::unix::fs::FileExt;
    use std::process::{Child, Command, Stdio};

    use super::*;

    /// Starts a shell that waits for a line, and then executes a command.
    fn waiting(command: &str) -> Child {
        let mut shell = Command::new("sh");
        shell
            .args(["-c", &format!("read line; exec {command}")])
            .stdin(Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// Ends the wait of the shell, and waits until its process has `name`.
    fn go_on(child: &mut Child, name: &str) {
        child.stdin.take().unwrap().write_all(b"\n").unwrap();
        let comm = format!("/proc/{}/comm", child.id());
        while fs::read_to_string(&comm).unwrap().trim() != name {
            thread::yield_now();
        }
    }

    fn ended(mut child: Child) {
        child.kill().unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn a_process_is_held_with_its_program() {
        let own = ProcessHandle::own().unwrap();
        own.still_same().unwrap();
        assert!(matches!(own.image.addresses, MemoryAddresses::Known(..)) && own.is_alive());
        let program = std::env::current_exe().unwrap();
        assert_eq!(own.program_name().unwrap(), program);
        assert_eq!(
            own.program_id().unwrap(),
            DeviceAndInode::from(&fs::metadata(&program).unwrap())
        );
        let mut first = [0; 4];
        File::open(own.path_to_program())
            .unwrap()
            .read_exact_at(&mut first, 0)
            .unwrap();
        assert_eq!(&first, b"\x7fELF");
    }

    #[test]
    fn a_process_that_executes_another_program_is_not_the_same_and_its_first_program_stays() {
        let mut child = waiting("sleep 1000");
        let process = ProcessHandle::open(child.id()).unwrap();
        let before = process.program_id().unwrap();
        go_on(&mut child, "sleep");
        let error = process.still_same().unwrap_err().to_string();
        let told = format!("process {} executed another program (", child.id());
        assert!(error.starts_with(&told) && error.contains("sleep)"), "{error}");
        assert_eq!(process.program_id().unwrap(), before);
        ended(child);
    }

    #[test]
    fn a_program_that_is_executed_again_is_not_the_same_execution() {
        let mut child = waiting("sh -c 'echo again > /proc/$$/comm; kill -STOP $$'");
        let process = ProcessHandle::open(child.id()).unwrap();
        go_on(&mut child, "again");
        let found = process.still_same();
        let is_seen = matches!(found, Err(ProcessError::Executed { .. }));
        assert!(is_seen, "{found:?}: {process:?}");
        ended(child);
    }

    #[test]
    fn a_process_that_ended_is_not_the_same_and_shows_nothing() {
        let mut child = waiting("sleep 1000");
        let process = ProcessHandle::open(child.id()).unwrap();
        child.kill().unwrap();
        // Until it is reaped, it has its number.
        while process.is_alive() {
            thread::yield_now();
        }
        assert!(matches!(process.still_same(), Err(ProcessError::Ended(_))));
        child.wait().unwrap();
        assert!(matches!(process.still_same(), Err(ProcessError::Ended(_))));
        assert!(process.entry().status().is_err());
    }

    #[test]
    fn what_is_no_process_is_told() {
        for pid in [0, u32::MAX, 4_194_304] {
            let error = ProcessHandle::open(pid).unwrap_err().to_string();
            assert_eq!(error, format!("there is no process {pid}"));
        }
        let of_thread = thread::spawn(|| {
            let tid = rustix::thread::gettid().as_raw_nonzero().get();
            ProcessHandle::open(tid.cast_unsigned())
        });
        let error = of_thread.join().unwrap().unwrap_err().to_string();
        assert!(error.ends_with(&format!("is a thread of process {}", std::process::id())));
    }
}
