//! Sources that may open paths by other means than the reader of inputs.

/// Files, or directories with a `/` at their end, and why: none of what they open is an input of a user.
pub const MAY_OPEN: &[(&str, &str)] = &[
    ("crates/common/src/input/", "the reader itself"),
    (
        "crates/common/src/process/",
        "the reader of processes: links within their root, and regular files",
    ),
    (
        "crates/common/src/program_file/file.rs",
        "programs of servers, which the reader of processes opens",
    ),
    (
        "crates/driver/src/client/thread_numbers.rs",
        "/proc of this process",
    ),
    (
        "crates/server/src/attached/",
        "processes and their files, and notes in directories of root",
    ),
    (
        "crates/server/src/connection/peer.rs",
        "who could have made a socket, which is not opened",
    ),
    (
        "crates/server/src/connection/private_text.rs",
        "passwords, with rules of their own about owners",
    ),
    (
        "crates/server/src/facts/",
        "/proc, /sys and the devices of mounts",
    ),
    (
        "crates/server/src/install/mod.rs",
        "the whole path of a server's program",
    ),
    (
        "crates/server/src/install/os_user.rs",
        "which directories a user may enter",
    ),
    (
        "crates/server/src/install/trusted_path.rs",
        "parts of paths, by descriptors that read nothing",
    ),
    (
        "crates/server/src/instance/stale.rs",
        "names in directories of root",
    ),
    ("crates/server/src/instance/template.rs", "directories of root"),
    (
        "crates/server/src/owned_path.rs",
        "who could change a path, which is not opened",
    ),
    (
        "crates/server/src/process/control_group.rs",
        "control groups, and notes in directories of root",
    ),
    ("crates/server/src/process/cpus.rs", "/sys"),
    (
        "crates/server/src/process/error_log.rs",
        "logs that logtrace made",
    ),
    (
        "crates/server/src/storage/directory.rs",
        "directories of a server, with the rights of its user",
    ),
    (
        "crates/server/src/storage/discard_file.rs",
        "a file that logtrace makes",
    ),
    (
        "crates/server/src/storage/fs_image/",
        "images and devices that logtrace made, and /proc",
    ),
    (
        "crates/server/src/storage/kernel_settings/mod.rs",
        "/sys, and lists in directories of root",
    ),
    (
        "crates/server/src/storage/locked_dir.rs",
        "locks in directories of root",
    ),
    (
        "crates/server/src/storage/mount.rs",
        "lists in directories of root",
    ),
    (
        "crates/server/src/storage/placed_dirs.rs",
        "lists in directories of root",
    ),
    (
        "crates/server/src/storage/mod.rs",
        "the whole path of a directory, which a server opens",
    ),
    ("crates/server/src/storage/sync_rate.rs", "a file without a name"),
    (
        "crates/tracer/src/",
        "processes, and /proc and /sys of the kernel",
    ),
    (
        "src/commands/collect.rs",
        "the name of a run directory, which is not opened by it",
    ),
    (
        "src/commands/join.rs",
        "the name of a run directory, which is not opened by it",
    ),
    (
        "src/output.rs",
        "the kind of a file that is written, and what was begun of it",
    ),
    (
        "src/source.rs",
        "whether a run is a directory or a page, which is not opened by it",
    ),
    ("src/data_set.rs", "directories of a data set, without links"),
    ("src/handover.rs", "results that root made, without links"),
    (
        "crates/measure/src/outputs.rs",
        "names and sizes in a run directory that logtrace made",
    ),
    (
        "crates/measure/src/measurement/signals.rs",
        "/proc of this process",
    ),
    (
        "crates/measure/src/preflight/requirements.rs",
        "programs of installed servers",
    ),
    (
        "crates/measure/src/directory/private_file.rs",
        "files that logtrace writes",
    ),
    (
        "crates/measure/src/directory/runs.rs",
        "names and times of run directories, which are not opened by them",
    ),
    (
        "crates/measure/src/directory/run_dir.rs",
        "owner and mode of a directory that is closed",
    ),
    (
        "crates/study/src/runner/server/loaded_data.rs",
        "directories of a private server",
    ),
];
