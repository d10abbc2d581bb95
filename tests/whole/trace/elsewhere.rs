//! A server in a mount namespace and under a root of its own, as in a container.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::common::{Running, beside_others, caveats, server_of, share};
use logtrace_common::FileClass;
use logtrace_events::IoOp;
use logtrace_report::document::CaveatKind;
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

/// A `logtrace run` under another root, whose server's files are on a file system that is mounted there alone.
struct Elsewhere {
    run: Child,
    _root: TempDir,
}

impl Elsewhere {
    fn start(server: &str) -> Self {
        let root = tempfile::Builder::new().prefix("lt-").tempdir_in("/tmp").unwrap();
        let script = "mount --make-rprivate / && mount --rbind / $1 && mount -t tmpfs none $1/srv && shift && \
                      exec chroot \"$@\"";
        let run = Command::new("unshare")
            .args(["--mount", "sh", "-c", script, "sh"])
            .arg(root.path())
            .arg(root.path())
            .arg(env!("CARGO_BIN_EXE_logtrace"))
            .args([
                "run",
                "--no-trace",
                "--server",
                server,
                "--rate",
                "200/s",
                "--duration",
                "60s",
            ])
            .args([
                "--tables", "1", "--rows", "500", "--warmup", "200ms", "--out", "/srv/out",
            ])
            .env("LOGTRACE_HOME", "/srv/home")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        Self { run, _root: root }
    }

    /// Waits until the server has its load, and returns its process.
    fn server(&self) -> u32 {
        let run = self.run.id();
        let start = Instant::now();
        loop {
            assert!(
                start.elapsed() < Duration::from_secs(180),
                "the load does not start"
            );
            std::thread::sleep(Duration::from_millis(20));
            let outs = Path::new("/proc").join(run.to_string()).join("root/srv/out");
            let is_loaded = fs::read_dir(outs).is_ok_and(|mut runs| {
                runs.any(|run| {
                    fs::read_to_string(run.unwrap().path().join("latency.hlog"))
                        .is_ok_and(|log| log.lines().any(|line| line.starts_with("Tag=")))
                })
            });
            if is_loaded {
                return server_of(&self.run).unwrap();
            }
        }
    }
}

impl Drop for Elsewhere {
    fn drop(&mut self) {
        // A killed run would leave the control group of its server: its home goes with the test, so no next start removes it.
        let _ = kill_process(Pid::from_child(&self.run), Signal::INT);
        let _ = self.run.wait();
    }
}

#[test]
fn a_server_in_another_root_is_traced() {
    let _turn = beside_others();
    for server in ["mysql", "mariadb"] {
        let elsewhere = Elsewhere::start(server);
        let pid = elsewhere.server();
        assert_ne!(
            fs::read_link(format!("/proc/{pid}/root")).unwrap(),
            Path::new("/")
        );
        let instances = format!("/proc/{pid}/root/srv/home/instances");
        let instance = fs::read_dir(instances)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .find(|path| path.join("run/sock").exists())
            .unwrap();
        let socket = instance.join("run/sock");
        for way in [format!("--pid {pid}"), format!("--socket {}", socket.display())] {
            let ran = Running::start(&format!("trace {way} --duration 1500ms")).ended();
            assert_eq!(ran.code(), Some(0), "{}", ran.stderr());
            let document = ran.document();
            assert_eq!(document.trace.as_ref().unwrap().pid, pid, "{way}");
            assert_eq!(document.server.file_system, "tmpfs", "{way}");
            assert_eq!(caveats(&document), Vec::<&CaveatKind>::new(), "{way}");
            assert!(document.commits.as_ref().unwrap().count > 50, "{way}");
            for class in [FileClass::Binlog, FileClass::Redo] {
                let fsync = share(&document, |cause| cause.cause.io == Some((class, IoOp::Fsync)));
                assert!(fsync > 0.0, "{way}: no {class} fsync in {:?}", document.causes);
            }
        }
    }
}
