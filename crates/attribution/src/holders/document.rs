//! `holders` of `run.json`: transactions that stand out, and the connections of threads. docs/run-json.md describes the same for
//! users.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{Display, EnumString, IntoStaticStr, VariantNames};

use crate::causes::names_schema::stored_by_name;
use logtrace_common::UnknownName;

/// Bytes in the binary log from which a transaction is large: it is named, and told apart from its group.
pub const LARGE_BYTES: u64 = 1 << 20;

/// Transactions that commits waited for or that stand out, and the connections of threads.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Holders {
    /// Source of the names of connections.
    pub names: NameSource,
    /// The 8 transactions for which other commits waited longest, the 8 largest and the 8 longest; in this order.
    pub transactions: Vec<TransactionRow>,
    /// Connections of the threads that are listed in `over-time.json`, as far as they were read.
    pub sessions: Vec<SessionRow>,
    /// The 8 other processes for which commits waited longest, because they had the CPU, and the 8 that wrote most to the file
    /// systems of the logs.
    pub processes: Vec<ProcessRow>,
}

/// Other process that had the CPU, or wrote to a file system of the server's logs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProcessRow {
    /// Name of the process, or its id where that is not known. Processes of one name are one.
    pub name: String,
    /// Control group of a process with this name at the end of the trace; absent if there was none any more.
    pub control_group: Option<String>,
    /// Time for which commits waited for the CPU that it had.
    pub cpu: u64,
    /// Number of these commits.
    pub commits: u64,
    /// Bytes that it wrote to files on the file systems of the binlog and the redo log, by system calls of 4 KiB and more.
    pub written: u64,
}

/// Source of the names of connections.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    Display,
    EnumString,
    IntoStaticStr,
    VariantNames,
)]
#[serde(into = "&'static str", try_from = "String")]
#[strum(parse_err_ty = UnknownName, parse_err_fn = unknown_source)]
pub enum NameSource {
    /// None: there was no login.
    #[default]
    #[strum(serialize = "no login")]
    NoLogin,
    /// None: the server refused to show its connections to the login.
    #[strum(serialize = "refused")]
    Refused,
    /// None: a pool of threads serves the connections, so that a thread has none of its own.
    #[strum(serialize = "thread pool")]
    ThreadPool,
    /// The server, by a login.
    #[strum(serialize = "server")]
    Server,
}

/// Transaction that committed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TransactionRow {
    /// Thread of the server.
    pub thread: u32,
    /// End of its commit, from the start of the window.
    pub end: u64,
    /// Time from its first known work to its end: the request that committed it, or an earlier write of its cache to a file.
    pub ns: u64,
    /// Duration of its commit.
    pub commit: u64,
    /// Bytes that it wrote to the binary log; absent if they are in another row, because its group wrote them together.
    pub bytes: Option<u64>,
    /// Number of transactions that wrote `bytes` together; 1 if it was this one alone.
    pub together: u64,
    /// Number of other commits that waited for it.
    pub commits: u64,
    /// Sum of their waits for it.
    pub waited: u64,
    /// Longest wait of one commit for it.
    pub longest: u64,
    /// Connection of the transaction, if it was read while it lasted.
    pub session: Option<SessionRow>,
}

/// Connection that a thread of the server served.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SessionRow {
    /// Thread of the server.
    pub thread: u32,
    /// Id of the connection.
    pub connection: u64,
    /// Name of its user.
    pub user: String,
    /// Host of its client.
    pub host: String,
    /// Its statement at that time, or the last one that did some work; without values.
    pub statement: Option<String>,
}

fn unknown_source(text: &str) -> UnknownName {
    UnknownName::new("source of names", text, NameSource::VARIANTS)
}

stored_by_name!(NameSource);

impl TryFrom<String> for NameSource {
    type Error = UnknownName;

    fn try_from(text: String) -> Result<Self, UnknownName> {
        text.parse()
    }
}
