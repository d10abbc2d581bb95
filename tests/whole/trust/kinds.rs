//! Inputs that are something else than files: each command ends soon, names them, and reads nothing elsewhere.

use std::fmt;
use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use rustix::fs::{CWD, FileType, Mode, makedev, mknodat};

use crate::common::{beside_others, logtrace, run};

/// Longest time of a command, in seconds. The longest takes a second on an idle machine.
const SECONDS: &str = "60";

/// Address space of a command in KiB: several times of what a sound run needs.
const MOST_KIB: u32 = 1 << 20;

/// Commands, and the files in the directory `a` that each reads. Each command succeeds while its files are sound, but for those that
/// would start a server.
const COMMANDS: [(&str, &[&str]); 15] = [
    (
        "report a",
        &["run.json", "over-time.json", "commits.folded", "response.folded"],
    ),
    (
        "report a --explain-again",
        &["run.json", "records.bin", "requests.bin", "over-time.json"],
    ),
    ("report a --format perfetto --out -", &["run.json", "records.bin"]),
    ("report a --format parquet --out -", &["run.json", "records.bin"]),
    ("compare a b", &["run.json", "over-time.json"]),
    ("compare b a", &["run.json", "over-time.json"]),
    ("compare a/report.html b/report.html", &["report.html"]),
    (
        "collect a --level commits --out data",
        &["run.json", "over-time.json", "requests.bin", "records.bin"],
    ),
    (
        "join a b --out joined",
        &[
            "run.json",
            "requests.bin",
            "server.json",
            "over-time.json",
            "latency.hlog",
            "arrivals.txt",
        ],
    ),
    (
        "join b a --out joined",
        &[
            "run.json",
            "records.bin",
            "server.json",
            "host.json",
            "over-time.json",
        ],
    ),
    ("study show a/plan.toml", &["plan.toml", "own.toml"]),
    ("study a/plan.toml --dry-run --home a", &["plan.toml", "own.toml"]),
    ("run --replay a --out out", &["arrivals.txt"]),
    ("run --schedule a/schedule --out out", &["schedule"]),
    ("run --workload a/own.toml --out out", &["own.toml"]),
];

/// Other commands that would start a server.
const REPLAY_FILE: (&str, &[&str]) = ("run --replay a/arrivals.txt --out out", &["arrivals.txt"]);

/// Kinds of what stands in the place of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Link to the sound file.
    Link,
    /// Link to a device without an end.
    Endless,
    Fifo,
    Directory,
    Socket,
    Device,
    /// File of two terabytes with no block on the disk.
    Sparse,
    /// Sound beginning, and two gigabytes without a block on the disk.
    LongTail,
    Empty,
    /// Regular text of the smallest parts that its format has: they may take much more memory than the file has bytes.
    Dense,
    /// The same in a single line.
    DenseLine,
}

const KINDS: [Kind; 11] = [
    Kind::Link,
    Kind::Endless,
    Kind::Fifo,
    Kind::Directory,
    Kind::Socket,
    Kind::Device,
    Kind::Sparse,
    Kind::LongTail,
    Kind::Empty,
    Kind::Dense,
    Kind::DenseLine,
];

/// Size of dense texts: some of them are below the limits of their kind, and some above.
const DENSE_BYTES: usize = 15 << 20;

/// Plan with a workload in a file.
const PLAN: &str = include_str!("../../../studies/rotation.toml");
const OWN: &str = include_str!("../../../studies/rotation-load.toml");

impl Kind {
    /// Puts it in the place of a file. `sound` is a copy of it.
    fn put(self, at: &Path, sound: &Path) {
        fs::remove_file(at).unwrap();
        let node = |kind, device| mknodat(CWD, at, kind, Mode::RUSR | Mode::WUSR, device).unwrap();
        match self {
            Self::Link => symlink(sound, at).unwrap(),
            Self::Endless => symlink("/dev/zero", at).unwrap(),
            Self::Fifo => node(FileType::Fifo, 0),
            Self::Directory => fs::create_dir(at).unwrap(),
            Self::Socket => drop(UnixListener::bind(at).unwrap()),
            // Linux's Documentation/admin-guide/devices.txt: /dev/zero
            Self::Device => node(FileType::CharacterDevice, makedev(1, 5)),
            Self::Sparse => File::create(at).unwrap().set_len(2 << 40).unwrap(),
            Self::LongTail => {
                fs::copy(sound, at).unwrap();
                let file = File::options().write(true).open(at).unwrap();
                file.set_len(sound.metadata().unwrap().len() + (2 << 30)).unwrap();
            }
            Self::Empty => drop(File::create(at).unwrap()),
            Self::Dense => fs::write(at, dense(at, "\n")).unwrap(),
            Self::DenseLine => fs::write(at, dense(at, "")).unwrap(),
        }
    }

    fn remove(self, at: &Path) {
        match self {
            Self::Directory => fs::remove_dir(at).unwrap(),
            _ => fs::remove_file(at).unwrap(),
        }
    }
}

/// Returns a text in the format of a file, of as many parts as fit.
fn dense(at: &Path, end: &str) -> String {
    let extension = at.extension().and_then(|extension| extension.to_str());
    let (head, part, tail) = match (extension, end) {
        (Some("folded"), "") => ("commit", ";a", " 1"),
        (Some("folded"), _) => ("", "commit;a 1\n", ""),
        (Some("json"), _) => ("[0", ",0", "]"),
        (Some("toml"), _) => ("a = [0", ",0", "]"),
        (Some("html"), _) => ("", "<b>", ""),
        _ => ("", "1", ""),
    };
    let part = part.to_owned() + if part.ends_with('\n') { "" } else { end };
    head.to_owned() + &part.repeat(DENSE_BYTES / part.len()) + tail
}

/// What is wrong with how a command ended.
struct Wrong(String);

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Runs a command in `place` with bounds on time and memory. What it makes is removed.
fn bounded(place: &Path, arguments: &str) -> Output {
    let limited = format!("ulimit -v {MOST_KIB}; exec timeout -s KILL {SECONDS} \"$@\"");
    let output = Command::new("sh")
        .args(["-c", &limited, "sh", env!("CARGO_BIN_EXE_logtrace")])
        .args(arguments.split_whitespace())
        .current_dir(place)
        .output()
        .unwrap();
    for made in ["data", "joined", "out"] {
        let _ = fs::remove_dir_all(place.join(made));
    }
    output
}

/// Tells what is wrong, if something is.
fn check(output: &Output, file: &str, kind: Kind) -> Option<Wrong> {
    let said = String::from_utf8_lossy(&output.stderr);
    let short = said.get(..400).unwrap_or(&said);
    // Such a file may be a sound one.
    let may_succeed = matches!(kind, Kind::Empty | Kind::Dense | Kind::DenseLine);
    match output.status.code() {
        Some(0 | 3) if may_succeed => None,
        Some(1 | 2) if (said.contains(file) || may_succeed) && !said.contains("panicked") => None,
        code => Some(Wrong(format!("{code:?}, {short}"))),
    }
}

/// Makes the directories `a` and `b` with the files of a run, and what commands read besides.
fn prepare(place: &Path, run: &Path) {
    for name in ["a", "b"] {
        let to = place.join(name);
        fs::create_dir(&to).unwrap();
        for entry in fs::read_dir(run).unwrap() {
            let entry = entry.unwrap();
            fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
        fs::write(
            to.join("plan.toml"),
            PLAN.replace("rotation-load.toml", "own.toml"),
        )
        .unwrap();
        fs::write(to.join("own.toml"), OWN).unwrap();
        fs::write(to.join("schedule"), "1s 100\n").unwrap();
    }
}

/// What `--explain-again` says about the version of another program is text.
fn a_version_commands_no_terminal(place: &Path) {
    let path = place.join("a/run.json");
    let sound = fs::read_to_string(&path).unwrap();
    let mut document: serde_json::Value = serde_json::from_str(&sound).unwrap();
    document["logtrace"] = "\u{1b}]0;title\u{7}\u{1b}[2J".into();
    fs::write(&path, document.to_string()).unwrap();
    let output = bounded(place, "report a --explain-again");
    fs::write(&path, sound).unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && said.contains("title"), "{said}");
    assert!(said.chars().all(|c| c == '\n' || !c.is_control()), "{said:?}");
}

/// Two processes write the same part of a data set.
fn two_collect_one_run_at_once(place: &Path) {
    for _ in 0..10 {
        let started = [(); 2].map(|()| {
            let mut command = logtrace();
            command.args(["collect", "a", "--level", "segments", "--out", "data"]);
            command
                .current_dir(place)
                .stdout(Stdio::null())
                .stderr(Stdio::piped());
            command.spawn().unwrap()
        });
        for program in started {
            let output = program.wait_with_output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{said}");
        }
    }
    fs::remove_dir_all(place.join("data")).unwrap();
}

#[test]
fn no_command_follows_waits_or_fills_the_memory_whatever_stands_for_a_file() {
    let _turn = beside_others();
    let ran = run(
        "--server mariadb --workload insert --tables 1 --rows 100 --rate 300/s --warmup 0s --duration 2s --record",
    );
    let directory = tempfile::tempdir().unwrap();
    let place = directory.path();
    prepare(place, &ran.file(""));
    let mut wrong = Vec::new();
    for (arguments, files) in COMMANDS.into_iter().chain([REPLAY_FILE]) {
        if !arguments.starts_with("run") && !arguments.contains("--dry-run") {
            let output = bounded(place, arguments);
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(matches!(output.status.code(), Some(0 | 3)), "{arguments}: {said}");
        }
        for (file, kind) in files.iter().flat_map(|file| KINDS.map(|kind| (file, kind))) {
            let (at, sound) = (place.join("a").join(file), place.join("b").join(file));
            kind.put(&at, &sound);
            let output = bounded(place, arguments);
            kind.remove(&at);
            fs::copy(&sound, &at).unwrap();
            let found = check(&output, file, kind);
            wrong.extend(found.map(|found| format!("{arguments}, {file}, {kind:?}: {found}")));
        }
    }
    a_version_commands_no_terminal(place);
    two_collect_one_run_at_once(place);
    assert!(
        wrong.is_empty(),
        "{} ended wrongly:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
