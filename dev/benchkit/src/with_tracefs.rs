//! Programs that look for tracepoints in tracefs, which not every machine has mounted.

use std::process::Command;

/// Returns a command that sees tracefs. Where tracefs is not mounted, the program runs in its own mount namespace, so that
/// nothing stays mounted.
/// The process that is started becomes the program's.
pub fn with_tracefs(program: &str) -> Command {
    const MOUNT: &str = r#"
        [ -d /sys/kernel/tracing/events ] || mount -t tracefs tracefs /sys/kernel/tracing
        exec "$@"
    "#;
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-ec", MOUNT, "sh", program]);
    command
}
