//! Processes that have a CPU to themselves.

use std::process::{Child, Command, Stdio};

/// A process that takes one CPU all the time.
pub(crate) struct Hog(Child);

impl Hog {
    pub(crate) fn on_cpu_0() -> Self {
        let hog = Command::new("taskset")
            .args(["--cpu-list", "0", "yes"])
            .stdout(Stdio::null())
            .spawn();
        Self(hog.unwrap())
    }

    pub(crate) fn pid(&self) -> u32 {
        self.0.id()
    }
}

impl Drop for Hog {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Leaves a process and its threads only this CPU.
pub(crate) fn pin_to_cpu_0(pid: u32) {
    let pinned = Command::new("taskset")
        .args(["--all-tasks", "--cpu-list", "--pid", "0", &pid.to_string()])
        .stdout(Stdio::null())
        .status();
    assert!(pinned.unwrap().success());
}
