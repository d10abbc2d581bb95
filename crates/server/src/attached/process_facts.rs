//! Facts of a server without a login, from its process alone.
//!
//! A login is not always available, and leaves traces of its own. A server that can be traced exports its symbols, and
//! what a report needs is in global variables. They are read with `process_vm_readv(2)`, for which `CAP_SYS_PTRACE` is
//! enough; `/proc/PID/mem` may be opened by its owner alone. The program is not run for its `--version`: in a container it
//! would need the container's libraries.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{anyhow, ensure};

use crate::attached::process_memory::ProcessMemory;
use crate::connection::peer::is_server;
use crate::facts::server::ServerFacts;
use logtrace_common::process::{ProcessError, ProcessHandle};
use logtrace_common::{Flavor, thread_handling, version_number};

/// Advice on finding the process of a server.
const SERVERS: &str = "`pgrep -a 'mysqld|mariadbd'` lists the servers of this machine, those in containers too: their numbers \
     there are others";

/// Function that reads a variable of one C type from the server's memory.
type ReadVariable = fn(&ProcessMemory, &str) -> Option<String>;

/// Global variables in the code of the servers (sql/mysqld.cc, sql/binlog.cc, sql/log.cc,
/// storage/innobase/srv/srv0srv.cc), with their types and the system variables that they hold.
const VARIABLES: [(&str, ReadVariable, &str); 24] = [
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
    ("max_binlog_size", number, "max_binlog_size"),
    ("binlog_cache_size", number, "binlog_cache_size"),
    ("thread_handling", handling_of_mariadb, THREAD_HANDLING),
    (
        "_ZN26Connection_handler_manager15thread_handlingE",
        handling_of_mysql,
        THREAD_HANDLING,
    ),
    // MySQL's alone.
    ("opt_binlog_order_commits", switch, "binlog_order_commits"),
    (
        "opt_binlog_group_commit_sync_delay",
        number,
        "binlog_group_commit_sync_delay",
    ),
    ("srv_log_writer_threads", switch, "innodb_log_writer_threads"),
    ("srv_redo_log_capacity", number, "innodb_redo_log_capacity"),
    ("srv_use_fdatasync", switch, "innodb_use_fdatasync"),
    // MariaDB's alone.
    ("opt_binlog_commit_wait_count", number, "binlog_commit_wait_count"),
    ("opt_binlog_commit_wait_usec", number, "binlog_commit_wait_usec"),
];

const THREAD_HANDLING: &str = "thread_handling";

/// First bytes of a binary log (sql/log_event.h, `BINLOG_MAGIC`).
const BINLOG_MAGIC: [u8; 4] = [0xfe, b'b', b'i', b'n'];

/// Takes hold of a process that was named by its number.
pub(crate) fn named_process(pid: u32) -> anyhow::Result<Arc<ProcessHandle>> {
    let opened = ProcessHandle::open(pid).map_err(|error| match error {
        ProcessError::NoProcess(_) => anyhow!("{error}. {SERVERS}"),
        ProcessError::Thread { process, .. } => anyhow!("{error}: give --pid {process}"),
        error => error.into(),
    })?;
    Ok(Arc::new(opened))
}

/// Reads the facts of a process: its program, some variables in its memory, and its open files.
pub(crate) fn facts_of_process(process: Arc<ProcessHandle>) -> anyhow::Result<ServerFacts> {
    let binary = server_program(&process)?;
    let variables = variables_of(&process);
    process.still_same()?;
    let version = variables.get("version").map_or("unknown", String::as_str);
    let is_mariadb = binary.to_string_lossy().contains("mariadbd");
    Ok(ServerFacts {
        flavor: match is_mariadb {
            true => Flavor::MariaDb,
            false => Flavor::of_version(version),
        },
        version: version_number(version).unwrap_or_else(|| version.to_owned()),
        pid: Some(process.pid()),
        process: Some(process),
        binary: Some(binary),
        variables,
        private: false,
    })
}

/// Reads the system variables that can be found.
fn variables_of(process: &Arc<ProcessHandle>) -> BTreeMap<String, String> {
    let symbols = VARIABLES.map(|(symbol, ..)| symbol);
    // A program without these symbols lacks those of tracing too, whose error has a remedy.
    let memory = ProcessMemory::find(process, &symbols).ok();
    let mut variables = memory.as_ref().map(read_variables).unwrap_or_default();
    // Whoever treats the threads of a pool as those of clients is wrong.
    let handling = variables.entry(THREAD_HANDLING.to_owned());
    handling.or_insert_with(|| thread_handling::UNKNOWN.to_owned());
    if !variables.contains_key("datadir")
        && let Ok(directory) = process.entry().cwd()
    {
        // Both servers change to it when they start.
        variables.insert("datadir".into(), directory.to_string_lossy().into_owned());
    }
    if !variables.contains_key("log_bin_basename")
        && let Some(base) = open_binlog(process)
    {
        variables.insert("log_bin_basename".into(), base);
    }
    variables
}

/// Returns the program of a process if it is a server.
fn server_program(process: &ProcessHandle) -> anyhow::Result<PathBuf> {
    let (pid, program) = (process.pid(), process.program_name()?);
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

/// Reads MariaDB's `thread_handling` (sql/mysqld.cc).
fn handling_of_mariadb(memory: &ProcessMemory, symbol: &str) -> Option<String> {
    handling(memory.number(symbol)?, &thread_handling::OF_MARIADB)
}

/// Reads MySQL's (sql/conn_handler/connection_handler_manager.h).
fn handling_of_mysql(memory: &ProcessMemory, symbol: &str) -> Option<String> {
    handling(memory.number(symbol)?, &thread_handling::OF_MYSQL)
}

fn handling(number: u64, names: &[&str]) -> Option<String> {
    let name = names.get(usize::try_from(number).ok()?)?;
    Some((*name).to_owned())
}

/// Reads a `bool`.
fn switch(memory: &ProcessMemory, symbol: &str) -> Option<String> {
    Some(if memory.number(symbol)? == 0 { "OFF" } else { "ON" }.to_owned())
}

/// Returns the path, without its number, of the binary log among the open files of a process.
fn open_binlog(process: &ProcessHandle) -> Option<String> {
    process.open_files().find_map(|file| {
        let path = process.name_of_file(file).ok()?;
        let (base, number) = path.to_str()?.rsplit_once('.')?;
        let is_numbered = number.len() >= 6 && number.bytes().all(|byte| byte.is_ascii_digit());
        // Relay logs start with the same bytes.
        let is_ours = is_numbered && !base.ends_with("-relay-bin");
        (is_ours && starts_as_binlog(process, file)).then(|| base.to_owned())
    })
}

fn starts_as_binlog(process: &ProcessHandle, file: u32) -> bool {
    let mut first = [0; 4];
    let opened = process.open_file(file);
    opened.is_ok_and(|mut file| file.read_exact(&mut first).is_ok()) && first == BINLOG_MAGIC
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File, OpenOptions};

    use rustix::fs::{CWD, FileType, Mode};

    use super::*;

    fn facts_of(pid: u32) -> anyhow::Result<ServerFacts> {
        facts_of_process(named_process(pid)?)
    }

    #[test]
    fn what_is_no_server_is_refused_with_what_it_is() {
        let me = std::process::id();
        let error = facts_of(me).unwrap_err().to_string();
        assert!(error.starts_with(&format!("process {me} runs ")), "{error}");
        for pid in [0, u32::MAX, 4_194_304] {
            let error = facts_of(pid).unwrap_err().to_string();
            assert!(
                error.starts_with(&format!("there is no process {pid}.")),
                "{error}"
            );
        }
        let tid = std::thread::spawn(|| {
            let tid = rustix::thread::gettid().as_raw_nonzero().get();
            facts_of(u32::try_from(tid).unwrap())
        });
        let error = tid.join().unwrap().unwrap_err();
        assert!(error.to_string().contains(&format!("--pid {me}")), "{error}");
    }

    #[test]
    fn an_open_binary_log_is_told_by_its_name_and_first_bytes() {
        let own = ProcessHandle::own().unwrap();
        let directory = tempfile::tempdir().unwrap();
        let open = |name: &str, bytes: &[u8]| {
            let path = directory.path().join(name);
            fs::write(&path, bytes).unwrap();
            File::open(&path).unwrap()
        };
        let fifo = directory.path().join("fifo.000001");
        rustix::fs::mknodat(CWD, &fifo, FileType::Fifo, Mode::RWXU, 0).unwrap();
        // Open for both, as the server has it: a reader waits for bytes, not for a writer.
        let _held = OpenOptions::new().read(true).write(true).open(&fifo).unwrap();
        let _others = [
            open("other.000001", b"\xfebix..."),
            open("host-relay-bin.000001", b"\xfebin..."),
            open("ibdata1", b"\xfebin..."),
            open("short.000001", b"\xfeb"),
        ];
        let (done, found) = std::sync::mpsc::channel();
        std::thread::spawn(move || done.send(open_binlog(&own)));
        let found = found.recv_timeout(std::time::Duration::from_secs(30));
        assert_eq!(found, Ok(None), "a FIFO is not read");
        let _binlog = open("master.000123", b"\xfebin...");
        let base = directory.path().join("master");
        let own = ProcessHandle::own().unwrap();
        assert_eq!(open_binlog(&own).as_deref(), base.to_str());
    }
}
