//! Namer of threads: asks the server for their connections while they do what makes them stand out, as nobody can look them up
//! after their end.
//!
//! The questions go by the connection that reads the status, one after another and a few each second, and never by the thread
//! that reads records.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use logtrace_attribution::breakdown::{NameSource, SessionRow};
use logtrace_common::ServerConn;
use logtrace_common::process::ProcessHandle;
use logtrace_driver::{CancellationToken, now_ns};
use logtrace_server::{ServerFacts, SessionsUnread, read_sessions};
use tokio::sync::{Mutex, MutexGuard};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

use super::window_signal::WindowSignal;

/// Time between two questions.
const PAUSE: Duration = Duration::from_millis(250);

/// Longest wait for an answer. A server that holds all its sessions up gives none.
const ANSWER_WITHIN: Duration = Duration::from_secs(2);

/// Most threads of one question.
const MOST_THREADS: usize = 64;

/// Most answers that are held.
const MOST_ANSWERS: usize = 4_096;

/// Connection to the server that several parts use one after another.
#[derive(Clone, Debug)]
pub(crate) struct LentConn(Arc<Mutex<Option<ServerConn>>>);

impl LentConn {
    pub(crate) fn new(conn: ServerConn) -> Self {
        Self(Arc::new(Mutex::new(Some(conn))))
    }

    /// Waits for its turn. Who leaves `None` has found the connection broken.
    pub(crate) async fn lend(&self) -> MutexGuard<'_, Option<ServerConn>> {
        self.0.lock().await
    }
}

/// Connections that were read.
#[derive(Clone, Debug, Default)]
pub(crate) struct NamedThreads {
    pub(crate) source: NameSource,
    /// Start of the window.
    pub(crate) start_ns: u64,
    /// In the order of the answers.
    pub(crate) answers: Vec<Answer>,
}

/// Connection of a thread at a time.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) at_ns: u64,
    pub(crate) session: SessionRow,
}

/// Namer of the threads of a server.
#[derive(Debug)]
pub(crate) struct Namer {
    conn: LentConn,
    process: Option<Arc<ProcessHandle>>,
    signal: Arc<WindowSignal>,
    /// Asks; `None` if threads cannot be named.
    task: Option<JoinHandle<NamedThreads>>,
    end: CancellationToken,
}

impl Namer {
    /// Starts to name the threads that the explaining thread asks for. Of a server with a pool of threads none is named, as each
    /// serves all connections.
    pub(crate) fn start(conn: LentConn, server: &ServerFacts, signal: &Arc<WindowSignal>) -> Self {
        let process = server.process.clone();
        let (signal, end) = (Arc::clone(signal), CancellationToken::new());
        let asking = ask(conn.clone(), process.clone(), Arc::clone(&signal), end.clone());
        let can_name = !server.pools_threads();
        Self {
            conn,
            process,
            signal,
            task: can_name.then(|| tokio::spawn(asking)),
            end,
        }
    }

    /// Names the threads that are listed, too, closes the connection and returns all answers.
    pub(crate) async fn finish(self, listed: BTreeSet<u32>) -> NamedThreads {
        self.end.cancel();
        let can_name = self.task.is_some();
        let mut named = match self.task {
            Some(task) => task.await.unwrap_or_default(),
            None => NamedThreads {
                source: NameSource::ThreadPool,
                ..NamedThreads::default()
            },
        };
        named.start_ns = self.signal.window().map_or(0, |window| window.start_ns);
        let mut conn = self.conn.lend().await;
        let listed = listed.into_iter().filter(|_| can_name);
        for threads in listed.collect::<Vec<u32>>().chunks(MOST_THREADS) {
            named.ask(&mut conn, self.process.as_deref(), threads).await;
        }
        if let Some(conn) = conn.take() {
            // If the session does not end in order, the server ends it.
            let _ = timeout(ANSWER_WITHIN, conn.disconnect()).await;
        }
        named
    }
}

/// Asks for the threads that are to be named, until the end.
async fn ask(
    conn: LentConn,
    process: Option<Arc<ProcessHandle>>,
    signal: Arc<WindowSignal>,
    end: CancellationToken,
) -> NamedThreads {
    let mut named = NamedThreads {
        source: NameSource::Server,
        ..NamedThreads::default()
    };
    loop {
        let wanted = tokio::select! {
            wanted = signal.next_wanted() => wanted,
            () = end.cancelled() => return named,
        };
        let wanted: BTreeSet<u32> = wanted.into_iter().take(MOST_THREADS).collect();
        let threads: Vec<u32> = wanted.into_iter().collect();
        let mut lent = conn.lend().await;
        named.ask(&mut lent, process.as_deref(), &threads).await;
        drop(lent);
        tokio::select! {
            () = sleep(PAUSE) => {}
            () = end.cancelled() => return named,
        }
    }
}

impl NamedThreads {
    /// Asks for the connections of these threads. A connection that does not answer is not asked again.
    async fn ask(&mut self, conn: &mut Option<ServerConn>, process: Option<&ProcessHandle>, threads: &[u32]) {
        let Some(open) = conn.as_mut().filter(|_| self.answers.len() < MOST_ANSWERS) else {
            return;
        };
        let inside = numbers_inside(process, threads);
        let numbers: Vec<u32> = inside.keys().copied().collect();
        let at_ns = now_ns();
        let answer = timeout(ANSWER_WITHIN, read_sessions(open, &numbers)).await;
        match answer {
            Ok(Ok(sessions)) => {
                self.source = NameSource::Server;
                let sessions = sessions.into_iter();
                self.answers.extend(sessions.filter_map(|found| {
                    let session = SessionRow {
                        thread: *inside.get(&found.thread)?,
                        connection: found.connection,
                        user: found.user,
                        host: found.host,
                        statement: found.statement,
                    };
                    Some(Answer { at_ns, session })
                }));
            }
            Ok(Err(SessionsUnread::Refused)) => self.source = NameSource::Refused,
            Ok(Err(SessionsUnread::Failed)) | Err(_) => *conn = None,
        }
    }
}

/// Returns the threads by the numbers by which the server knows them: those of its own PID namespace.
fn numbers_inside(process: Option<&ProcessHandle>, threads: &[u32]) -> BTreeMap<u32, u32> {
    let is_inside = process.is_some_and(|process| process.number_inside("status").is_some());
    let inside = |tid: u32| match process.filter(|_| is_inside) {
        Some(process) => process.number_inside(&format!("task/{tid}/status")),
        None => Some(tid),
    };
    threads
        .iter()
        .filter_map(|&tid| Some((inside(tid)?, tid)))
        .collect()
}
