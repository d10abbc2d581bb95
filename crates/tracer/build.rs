//! Compiles the kernel side, after writing assertions that its records are laid out as the Rust types are, and checks the
//! stacks of its uprobes.

use std::env;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::mem::offset_of;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use logtrace_common::uprobe_depths;
use logtrace_events::wire;

/// Versions of clang that are refused. Where registers run out they reuse a place on the stack that is still needed, and
/// programs read a number as a pointer: machines with Linux 6.19 and later crashed
/// (github.com/open-telemetry/opentelemetry-ebpf-instrumentation/pull/1945).
const REFUSED: RangeInclusive<u32> = 18..=22;

/// Variable that allows the refused versions, for those who know better.
const ANY_CLANG: &str = "LOGTRACE_ANY_CLANG";

/// Names of clang in the order in which they are tried without `CLANG`: distributions with a refused version have others
/// beside it.
const NAMES: [&str; 5] = ["clang", "clang-17", "clang-16", "clang-15", "clang-14"];

/// Appends C assertions for one record: its size, and the offset of every field.
macro_rules! check {
    ($out:ident, $rust:ty, $c:literal, $($field:ident),+) => {
        writeln!($out, "_Static_assert(sizeof(struct {}) == {}, \"size\");", $c, size_of::<$rust>())?;
        $(writeln!(
            $out,
            "_Static_assert(__builtin_offsetof(struct {}, {}) == {}, \"offset\");",
            $c, stringify!($field), offset_of!($rust, $field)
        )?;)+
    };
}

fn layout_check() -> Result<String, std::fmt::Error> {
    let mut c = String::from("/* Written by build.rs from crates/events/src/wire.rs. */\n#pragma once\n");
    check!(c, wire::Header, "header", at_ns, tid, kind);
    check!(
        c,
        wire::OffCpu,
        "off_cpu",
        header,
        out_ns,
        wake_ns,
        waker_commit_ns,
        waker_tid,
        waker_tgid,
        stack,
        syscall,
        waker_syscall,
        cpu_wait,
        cpu_tgid
    );
    check!(
        c,
        wire::Io,
        "io",
        header,
        enter_ns,
        ino,
        ret,
        dev,
        generation,
        syscall,
        pad
    );
    check!(c, wire::Commit, "commit", header, start_ns);
    check!(c, wire::Flush, "flush", header, issue_ns, dev, pad);
    check!(
        c,
        wire::Member,
        "member",
        header,
        entered_ns,
        leader_commit_ns,
        member_tid,
        pad
    );
    check!(c, wire::QueueEntry, "queue_entry", header);
    check!(c, wire::FlushStage, "flush_stage", header, commit_ns);
    check!(
        c,
        wire::File,
        "file_name",
        header,
        ino,
        dev,
        generation,
        components,
        pad,
        names
    );
    check_others(&mut c)?;
    check_kinds(&mut c)?;
    Ok(c)
}

/// Appends assertions for the records of long waits, of processes and what they write, of samples and of ends of threads.
fn check_others(c: &mut String) -> std::fmt::Result {
    check!(c, wire::ThreadEnd, "thread_end", header);
    check!(
        c,
        wire::AsyncCommit,
        "async_commit",
        header,
        start_ns,
        returned_ns,
        waker_commit_ns,
        commit_tid,
        pad
    );
    check!(c, wire::Statement, "statement", header, start_ns, end_ns);
    check!(c, wire::Process, "process", header, tgid, pad, name);
    check!(
        c,
        wire::OtherWrites,
        "other_writes",
        header,
        bytes,
        tgid,
        dev,
        name
    );
    check!(c, wire::ServerWait, "server_wait", header, in_ns, stack, pad);
    check!(
        c,
        wire::CpuSample,
        "cpu_sample",
        header,
        server_stack,
        kernel_stack
    );
    Ok(())
}

/// Appends an assertion for the number of each kind of record.
fn check_kinds(c: &mut String) -> std::fmt::Result {
    for (name, value) in [
        ("KIND_OFF_CPU", wire::KIND_OFF_CPU),
        ("KIND_IO", wire::KIND_IO),
        ("KIND_COMMIT", wire::KIND_COMMIT),
        ("KIND_FILE", wire::KIND_FILE),
        ("KIND_FLUSH", wire::KIND_FLUSH),
        ("KIND_MEMBER", wire::KIND_MEMBER),
        ("KIND_FLUSH_STAGE", wire::KIND_FLUSH_STAGE),
        ("KIND_QUEUE_ENTRY", wire::KIND_QUEUE_ENTRY),
        ("KIND_THREAD_END", wire::KIND_THREAD_END),
        ("KIND_PROCESS", wire::KIND_PROCESS),
        ("KIND_SERVER_WAIT", wire::KIND_SERVER_WAIT),
        ("KIND_CPU_SAMPLE", wire::KIND_CPU_SAMPLE),
        ("KIND_OTHER_WRITES", wire::KIND_OTHER_WRITES),
        ("KIND_COMMIT_RETURN", wire::KIND_COMMIT_RETURN),
        ("KIND_ASYNC_COMMIT", wire::KIND_ASYNC_COMMIT),
        ("KIND_STATEMENT", wire::KIND_STATEMENT),
    ] {
        writeln!(c, "_Static_assert({name} == {value}, \"kind\");")?;
    }
    Ok(())
}

/// Returns the first clang that can be used.
fn clang() -> Result<OsString, String> {
    let names = match env::var_os("CLANG") {
        Some(name) => vec![name],
        None => NAMES.map(OsString::from).to_vec(),
    };
    let mut refused = None;
    for name in names {
        match version(&name) {
            Ok(version) if REFUSED.contains(&version) && env::var_os(ANY_CLANG).is_none() => {
                refused.get_or_insert(format!("{} is clang {version}", name.display()));
            }
            Ok(_) => return Ok(name),
            Err(error) => drop(refused.get_or_insert(error)),
        }
    }
    Err(format!(
        "{}. The kernel side needs clang from version 14, but not {} to {}, whose programs may crash Linux 6.19 and later: \
         apt-get install clang-17, or name another clang in CLANG, or set {ANY_CLANG}=1",
        refused.unwrap_or_default(),
        REFUSED.start(),
        REFUSED.end()
    ))
}

/// Returns the major version of a clang, or why it is unknown.
fn version(clang: &OsString) -> Result<u32, String> {
    let output = Command::new(clang).arg("--version").output();
    let output = output.map_err(|error| format!("cannot run {}: {error}", clang.display()))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let number = text
        .split_once("clang version ")
        .and_then(|(_, rest)| rest.split('.').next());
    let number = number.and_then(|number| number.parse().ok());
    number.ok_or_else(|| format!("{} --version says {text:?}", clang.display()))
}

fn compile(sources: &Path, out: &Path) -> Result<(), String> {
    let mut command = Command::new(clang()?);
    command.args([
        "-O2",
        "-g",
        "-Wall",
        "-Werror",
        "-target",
        "bpf",
        "-D__TARGET_ARCH_x86",
    ]);
    // The same object in whatever directory it is compiled.
    let here = env::current_dir().map_err(|error| error.to_string())?;
    for (directory, name) in [(here.as_path(), "."), (out, "out")] {
        command.arg(format!("-ffile-prefix-map={}={name}", directory.display()));
    }
    // The headers of the C library's architecture, which clang leaves out for this target.
    command
        .args(["-I", "/usr/include/x86_64-linux-gnu"])
        .arg("-I")
        .arg(out);
    command
        .arg("-c")
        .arg(sources.join("logtrace.bpf.c"))
        .arg("-o")
        .arg(out.join("logtrace.bpf.o"));
    match command.output() {
        Ok(output) if output.status.success() => Ok(()),
        Ok(output) => Err(format!(
            "{command:?} failed:\n{}\nThe kernel side needs clang 14 to 17 and the kernel's headers: \
             apt-get install clang linux-libc-dev",
            String::from_utf8_lossy(&output.stderr)
        )),
        Err(error) => Err(format!("cannot run {command:?}: {error}")),
    }
}

fn build() -> Result<(), String> {
    let sources = PathBuf::from("bpf");
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("cargo set no OUT_DIR")?);
    let header = layout_check().map_err(|error| error.to_string())?;
    fs::write(out.join("layout_check.h"), header).map_err(|error| error.to_string())?;
    compile(&sources, &out)?;
    let object = fs::read(out.join("logtrace.bpf.o")).map_err(|error| error.to_string())?;
    uprobe_depths(&object)?;
    Ok(())
}

fn main() -> ExitCode {
    for input in ["build.rs", "bpf", "../events/src/wire.rs"] {
        println!("cargo::rerun-if-changed={input}");
    }
    for variable in ["CLANG", ANY_CLANG] {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    match build() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            for line in message.lines() {
                println!("cargo::error={line}");
            }
            ExitCode::FAILURE
        }
    }
}
