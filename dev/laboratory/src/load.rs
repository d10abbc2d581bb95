//! Load of one statement on some connections, each with a pause between two of them, timed by the client's clock.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::Context;
use logtrace_driver::THREAD_QUESTIONS;
use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Opts};
use tokio::runtime::Builder;
use tokio::task::JoinSet;

/// Placeholder in a statement for the number of its execution.
const NUMBER: &str = "{n}";

/// Statements that go on until they are stopped.
#[derive(Debug)]
pub struct StatementLoad {
    counts: Arc<StatementCounts>,
    thread: JoinHandle<anyhow::Result<()>>,
}

/// Statements of a load.
#[derive(Clone, Debug)]
pub struct LoadStatements {
    /// Statement, in which `{n}` is the number of the execution.
    pub text: &'static str,
    /// Number of connections.
    pub connections: u32,
    /// Pause after each answer.
    pub pause: Duration,
}

/// Statements that were answered, and the sum of their times by the client's clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answered {
    /// Number of statements.
    pub count: u64,
    /// Sum of their times in nanoseconds.
    pub total_ns: u64,
}

#[derive(Debug, Default)]
struct StatementCounts {
    count: AtomicU64,
    total_ns: AtomicU64,
    is_stopped: AtomicBool,
    /// Threads of the server that serve the connections.
    threads: Mutex<Vec<u32>>,
}

impl StatementLoad {
    /// Starts a load on a server, and returns when each connection has its first answer.
    pub fn start(options: impl Into<Opts>, statements: LoadStatements) -> anyhow::Result<Self> {
        let options = options.into();
        let counts = Arc::<StatementCounts>::default();
        let first = u64::from(statements.connections);
        let thread = thread::spawn({
            let counts = Arc::clone(&counts);
            move || run(&options, &statements, &counts)
        });
        let load = Self { counts, thread };
        while load.answered().count < first {
            if load.thread.is_finished() {
                load.stop()?;
                anyhow::bail!("the load ended by itself");
            }
            thread::sleep(Duration::from_millis(10));
        }
        Ok(load)
    }

    /// Returns the statements that were answered so far.
    pub fn answered(&self) -> Answered {
        Answered {
            count: self.counts.count.load(Relaxed),
            total_ns: self.counts.total_ns.load(Relaxed),
        }
    }

    /// Returns the threads of the server that serve the connections.
    pub fn threads(&self) -> Vec<u32> {
        let threads = self.counts.threads.lock();
        threads.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Stops the load. Returns the error that ended it before, if any.
    pub fn stop(self) -> anyhow::Result<()> {
        self.counts.is_stopped.store(true, Relaxed);
        let ended = self.thread.join();
        ended.map_err(|_| anyhow::anyhow!("the load panicked"))?
    }
}

impl Answered {
    /// Returns the statements since an `earlier` reading.
    pub fn since(self, earlier: Self) -> Self {
        Self {
            count: self.count - earlier.count,
            total_ns: self.total_ns - earlier.total_ns,
        }
    }

    /// Returns the number of statements for each one of another reading.
    pub fn per(self, other: Self) -> f64 {
        self.count as f64 / other.count.max(1) as f64
    }
}

fn run(options: &Opts, statements: &LoadStatements, counts: &Arc<StatementCounts>) -> anyhow::Result<()> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut connections = JoinSet::new();
        for _ in 0..statements.connections {
            let mut connection = Conn::new(options.clone()).await.context("cannot connect")?;
            let thread = thread_of(&mut connection).await;
            let mut threads = counts.threads.lock().unwrap_or_else(PoisonError::into_inner);
            threads.extend(thread);
            drop(threads);
            connections.spawn(repeat(connection, statements.clone(), Arc::clone(counts)));
        }
        while let Some(ended) = connections.join_next().await {
            ended??;
        }
        Ok(())
    })
}

async fn repeat(
    mut connection: Conn,
    statements: LoadStatements,
    counts: Arc<StatementCounts>,
) -> anyhow::Result<()> {
    while !counts.is_stopped.load(Relaxed) {
        let number = counts.count.load(Relaxed).to_string();
        let text = statements.text.replace(NUMBER, &number);
        let start = Instant::now();
        connection.query_drop(&text).await.with_context(|| text.clone())?;
        let nanoseconds = u64::try_from(start.elapsed().as_nanos())?;
        counts.total_ns.fetch_add(nanoseconds, Relaxed);
        counts.count.fetch_add(1, Relaxed);
        tokio::time::sleep(statements.pause).await;
    }
    connection.disconnect().await?;
    Ok(())
}

/// Returns the thread of the server that serves a connection, if the server shows it.
pub async fn thread_of(connection: &mut Conn) -> Option<u32> {
    for question in THREAD_QUESTIONS {
        if let Ok(Some(thread)) = connection.query_first::<Option<u32>, _>(question).await {
            return thread;
        }
    }
    None
}
