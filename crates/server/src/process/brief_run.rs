//! Output of a program that ends soon, such as `mysqld --version`.

use std::io::{self, PipeReader, Read};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::process::clean_command::{RunAs, clean_command};
use crate::process::{confine, kill_group};

/// Time that the program has.
const LIMIT: Duration = Duration::from_secs(10);

/// Largest output that is read, in bytes.
const MAX_BYTES: usize = 64 << 10;

/// Runs a program, as another user if there is one, and returns its output: stdout and stderr together. Fails, and kills the
/// program, if it does not end within 10 s.
pub fn brief_output(program: &Path, arguments: &[&str], run_as: Option<RunAs>) -> anyhow::Result<String> {
    let deadline = Instant::now() + LIMIT;
    let (mut output, writer) = io::pipe()?;
    let mut command = clean_command(program, run_as);
    command
        .args(arguments)
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(writer.try_clone()?)
        .stderr(writer);
    confine(&mut command);
    let spawned = command.spawn();
    // It holds the writing ends of the pipe.
    drop(command);
    let mut child = spawned.context("as the user of private servers")?;
    let read = read_until(&mut output, deadline);
    // Whoever still writes is not waited for.
    kill_group(&mut child);
    match read? {
        Some(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned()),
        None => bail!("it did not end within {} s", LIMIT.as_secs()),
    }
}

/// Reads to the end of a pipe, or as much as is allowed. Returns `None` at the deadline.
fn read_until(output: &mut PipeReader, deadline: Instant) -> io::Result<Option<Vec<u8>>> {
    let (mut bytes, mut chunk) = (Vec::new(), [0; 4096]);
    while bytes.len() < MAX_BYTES {
        let left = deadline.saturating_duration_since(Instant::now());
        let left = Timespec {
            tv_sec: left.as_secs().try_into().unwrap_or(0),
            tv_nsec: left.subsec_nanos().into(),
        };
        match poll(&mut [PollFd::new(output, PollFlags::IN)], Some(&left)) {
            Ok(0) => return Ok(None),
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => continue,
            Err(error) => return Err(error.into()),
        }
        match output.read(&mut chunk)? {
            0 => break,
            length => bytes.extend_from_slice(&chunk[..length]),
        }
    }
    Ok(Some(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_is_read_and_nothing_of_the_environment_is_passed_on() {
        let shell = |script: &str| brief_output(Path::new("/bin/sh"), &["-c", script], None);
        assert_eq!(shell("echo a; echo b >&2").unwrap(), "a\nb\n");
        // What cargo sets for its tests is not there.
        assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
        let environment = shell("env").unwrap();
        let known = ["PATH=", "LANG=", "TZ=", "PWD=", "SHLVL=", "_=", "OLDPWD="];
        for line in environment.lines() {
            assert!(known.iter().any(|known| line.starts_with(known)), "{line}");
        }
        assert_eq!(shell("cat /dev/zero").unwrap().len().min(MAX_BYTES), MAX_BYTES);
    }

    #[test]
    fn a_program_that_does_not_end_is_killed() {
        let directory = tempfile::tempdir().unwrap();
        let pid = directory.path().join("pid");
        let script = format!("sleep 1000 & echo $! > {}; wait", pid.display());
        let error = brief_output(Path::new("/bin/sh"), &["-c", &script], None).unwrap_err();
        assert!(error.to_string().contains("did not end"), "{error}");
        let child = std::fs::read_to_string(pid).unwrap();
        // A signal takes effect when its process next has a CPU, and nobody may have waited for it yet.
        let is_gone = || {
            let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.trim()));
            stat.map_or(true, |stat| stat.contains(") Z "))
        };
        let patience = Instant::now() + Duration::from_secs(10);
        while !is_gone() {
            assert!(Instant::now() < patience, "process {child} lives");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}
