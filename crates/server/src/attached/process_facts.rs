//! Facts of a server without a login, from its process alone.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use procfs::process::Process;
use rustix::fs::OFlags;

use crate::attached::process_memory::ProcessMemory;
use crate::connection::peer::is_server;
use crate::facts::server::ServerFacts;
use logtrace_common::{Flavor, version_number};

/// Advice on finding the process of a server.
const SERVERS: &str = "`pgrep -a 'mysqld|mariadbd'` lists the servers of this machine, those in containers too: their numbers \
     there are others";

/// Function that reads a variable of one C type from the server's memory.
type ReadVariable = fn(&ProcessMemory, &str) -> Option<String>;

/// Global variables in the code of the servers (sql/mysqld.cc, sql/binlog.cc, sql/log.cc,
/// storage/innobase/srv/srv0srv.cc), with their types and the system variables that they hold.
const VARIABLES: [(&str, ReadVariable, &str); 13] = [
    ("server_version", ProcessMemory::text, "version"),
    ("glob_hostname", ProcessMemory::text, "hostname"),
    // MySQL's identity, and MariaDB's.
    ("server_uuid", ProcessMemory::text, "server_uuid"),
    ("server_uid", ProcessMemory::text, "server_uid"),
    ("mysql_real_data_home", ProcessMemory::text, "datadir"),
    ("mysqld_unix_port", ProcessMemory::text_behind, "socket"),
    ("log_bin_basename", ProcessMemory::text_behind, "log_bin_basename"),
    (
        "opt_slow_logname",
        ProcessMemory::text_behind,
        "slow_query_log_file",
    ),
    // MySQL's name for it, and MariaDB's.
    (
        "opt_general_logname",
        ProcessMemory::text_behind,
        "general_log_file",
    ),
    ("opt_logname", ProcessMemory::text_behind, "general_log_file"),
    ("opt_bin_log", switch, "log_bin"),
    ("sync_binlog_period", number, "sync_binlog"),
    (
        "srv_flush_log_at_trx_commit",
        number,
        "innodb_flush_log_at_trx_commit",
    ),
];

/// First bytes of a binary log (sql/log_event.h, `BINLOG_MAGIC`).
const BINLOG_MAGIC: [u8; 4] = [0xfe, b'b', b'i', b'n'];

/// Reads the facts of the process `pid`: its program, some variables in its memory, and its open files.
pub(crate) fn facts_of_process(pid: u32) -> anyhow::Result<ServerFacts> {
    let binary = server_program(pid)?;
    let variables = variables_of(pid);
    let version = variables.get("version").map_or("unknown", String::as_str);
    let is_mariadb = binary.to_string_lossy().contains("mariadbd");
    Ok(ServerFacts {
        flavor: match is_mariadb {
            true => Flavor::MariaDb,
            false => Flavor::of_version(version),
        },
        version: version_number(version).unwrap_or_else(|| version.to_owned()),
        pid: Some(pid),
        binary: Some(binary),
        variables,
        private: false,
    })
}

/// Reads the system variables that can be found.
fn variables_of(pid: u32) -> BTreeMap<String, String> {
    let symbols = VARIABLES.map(|(symbol, ..)| symbol);
    // A program without these symbols lacks those of tracing too, whose error has a remedy.
    let memory = ProcessMemory::find(pid, &symbols).ok();
    let mut variables = memory.as_ref().map(read_variables).unwrap_or_default();
    let process = PathBuf::from(format!("/proc/{pid}"));
    if !variables.contains_key("datadir")
        && let Ok(directory) = fs::read_link(process.join("cwd"))
    {
        // Both servers change to it when they start.
        variables.insert("datadir".into(), directory.to_string_lossy().into_owned());
    }
    if !variables.contains_key("log_bin_basename")
        && let Some(base) = open_binlog(&process.join("fd"))
    {
        variables.insert("log_bin_basename".into(), base);
    }
    variables
}

/// Returns the program of a process if it is a server.
fn server_program(pid: u32) -> anyhow::Result<PathBuf> {
    let process = i32::try_from(pid).ok().and_then(|pid| Process::new(pid).ok());
    let status = process.and_then(|process| process.status().ok());
    let group = status
        .with_context(|| format!("there is no process {pid}. {SERVERS}"))?
        .tgid;
    ensure!(
        u32::try_from(group) == Ok(pid),
        "{pid} is a thread of process {group}: give --pid {group}"
    );
    let program = fs::read_link(format!("/proc/{pid}/exe")).with_context(|| {
        format!("cannot read the program of process {pid} (has it ended? does logtrace run as root?)")
    })?;
    ensure!(
        is_server(&program),
        "process {pid} runs {}, neither mysqld nor mariadbd. {SERVERS}",
        program.display()
    );
    Ok(program)
}

fn read_variables(memory: &ProcessMemory) -> BTreeMap<String, String> {
    VARIABLES
        .iter()
        .filter_map(|&(symbol, read, variable)| Some((variable.to_owned(), read(memory, symbol)?)))
        .collect()
}

fn number(memory: &ProcessMemory, symbol: &str) -> Option<String> {
    Some(memory.number(symbol)?.to_string())
}

/// Reads a `bool`.
fn switch(memory: &ProcessMemory, symbol: &str) -> Option<String> {
    Some(if memory.number(symbol)? == 0 { "OFF" } else { "ON" }.to_owned())
}

/// Returns the path, without its number, of the binary log among the open files in `descriptors` (`/proc/PID/fd`).
fn open_binlog(descriptors: &Path) -> Option<String> {
    let entries = fs::read_dir(descriptors).ok()?.flatten();
    entries.into_iter().find_map(|entry| {
        let path = fs::read_link(entry.path()).ok()?;
        let (base, number) = path.to_str()?.rsplit_once('.')?;
        let is_numbered = number.len() >= 6 && number.bytes().all(|byte| byte.is_ascii_digit());
        // Relay logs start with the same bytes.
        let is_ours = is_numbered && !base.ends_with("-relay-bin");
        (is_ours && starts_as_binlog(&entry.path())).then(|| base.to_owned())
    })
}

fn starts_as_binlog(path: &Path) -> bool {
    let mut first = [0; 4];
    open_regular(path).is_ok_and(|mut file| file.read_exact(&mut first).is_ok()) && first == BINLOG_MAGIC
}

/// Opens a regular file of another process. Nothing else is opened: a FIFO of that process would block logtrace.
fn open_regular(path: &Path) -> io::Result<File> {
    let is_file = |is_file: bool| match is_file {
        true => Ok(()),
        false => Err(io::Error::other("it is not a regular file")),
    };
    is_file(fs::metadata(path)?.is_file())?;
    // The process may have replaced it since.
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    let mut options = OpenOptions::new();
    let file = options
        .read(true)
        .custom_flags(flags.bits().cast_signed())
        .open(path)?;
    is_file(file.metadata()?.is_file())?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use rustix::fs::{CWD, FileType, Mode};

    use super::*;

    #[test]
    fn what_is_no_server_is_refused_with_what_it_is() {
        let me = std::process::id();
        let error = facts_of_process(me).unwrap_err().to_string();
        assert!(error.starts_with(&format!("process {me} runs ")), "{error}");
        for pid in [0, u32::MAX, 4_194_304] {
            let error = facts_of_process(pid).unwrap_err().to_string();
            assert!(
                error.starts_with(&format!("there is no process {pid}.")),
                "{error}"
            );
        }
        let tid = std::thread::spawn(|| {
            let tid = rustix::thread::gettid().as_raw_nonzero().get();
            facts_of_process(u32::try_from(tid).unwrap())
        });
        let error = tid.join().unwrap().unwrap_err();
        assert!(error.to_string().contains(&format!("--pid {me}")), "{error}");
    }

    #[test]
    fn an_open_binary_log_is_told_by_its_name_and_first_bytes() {
        let directory = tempfile::tempdir().unwrap();
        let fd = directory.path().join("fd");
        fs::create_dir(&fd).unwrap();
        let open = |number: &str, name: &str, bytes: &[u8]| {
            let path = directory.path().join(name);
            fs::write(&path, bytes).unwrap();
            symlink(&path, fd.join(number)).unwrap();
        };
        open("3", "other.000001", b"\xfebix...");
        open("4", "host-relay-bin.000001", b"\xfebin...");
        open("5", "ibdata1", b"\xfebin...");
        open("6", "short.000001", b"\xfeb");
        symlink("socket:[1]", fd.join("7")).unwrap();
        let fifo = directory.path().join("fifo.000001");
        rustix::fs::mknodat(CWD, &fifo, FileType::Fifo, Mode::RWXU, 0).unwrap();
        // Open for both, as the server has it: a reader waits for bytes, not for a writer.
        let _held = OpenOptions::new().read(true).write(true).open(&fifo).unwrap();
        symlink(&fifo, fd.join("2")).unwrap();
        let (done, found) = std::sync::mpsc::channel();
        let looked = fd.clone();
        std::thread::spawn(move || done.send(open_binlog(&looked)));
        let found = found.recv_timeout(std::time::Duration::from_secs(30));
        assert_eq!(found, Ok(None), "a FIFO is not read");
        open("8", "master.000123", b"\xfebin...");
        let base = directory.path().join("master");
        assert_eq!(open_binlog(&fd).as_deref(), base.to_str());
    }
}
