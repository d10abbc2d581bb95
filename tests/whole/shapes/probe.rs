//! What one client does on a private server, traced.

use std::iter;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use logtrace_attribution::analysis::{Analysis, AnalysisConfig};
use logtrace_attribution::breakdown::Breakdown;
use logtrace_attribution::cause::Cause;
use logtrace_benchkit::SharedServer;
use logtrace_common::{Detail, Endpoint, TimeRange, Variable};
use logtrace_events::{Commit, Losses, decode};
use logtrace_laboratory::load::thread_of;
use logtrace_server::ServerChoice;
use logtrace_tracer::{Extent, Sink, Stopped, Tracer, TracerConfig};
use mysql_async::prelude::Queryable;
use mysql_async::{Conn, OptsBuilder};
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinSet;

/// A server with one client.
pub(crate) struct Client {
    server: SharedServer,
    runtime: Runtime,
    options: OptsBuilder,
    conn: Conn,
    /// That of the server which serves it alone.
    thread: Option<u32>,
}

/// What the client's commits were.
pub(crate) struct Seen {
    /// Those of the client's own thread; all, where threads serve whatever client has something to do.
    pub(crate) commits: Vec<Commit>,
    /// Where their time went, and that of all others.
    pub(crate) breakdown: Breakdown,
    /// How long the statements took, in nanoseconds.
    pub(crate) statements_ns: u64,
}

impl Client {
    pub(crate) fn new(choice: &str, settings: &[&str]) -> Self {
        let settings: Vec<Variable> = settings.iter().map(|setting| setting.parse().unwrap()).collect();
        let choice: ServerChoice = choice.parse().unwrap();
        let server = SharedServer::start(choice, settings).unwrap();
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let connection = server.connection();
        let Endpoint::Socket(socket) = &connection.endpoint else {
            panic!("a private server has a socket");
        };
        let options = OptsBuilder::default()
            .user(Some(&connection.user))
            .socket(Some(socket.to_string_lossy()));
        let mut conn = runtime.block_on(Conn::new(options.clone())).unwrap();
        let thread = runtime.block_on(thread_of(&mut conn));
        let mut client = Self {
            server,
            runtime,
            options,
            conn,
            thread,
        };
        for statement in [
            "CREATE DATABASE shapes",
            "USE shapes",
            "CREATE TABLE t (id INT PRIMARY KEY AUTO_INCREMENT, v INT)",
            "INSERT INTO t (v) VALUES (0)",
        ] {
            client.execute(statement);
        }
        client
    }

    pub(crate) fn execute(&mut self, statement: &str) {
        let Self { runtime, conn, .. } = self;
        let done = runtime.block_on(conn.query_drop(statement));
        done.unwrap_or_else(|error| panic!("{statement}: {error}"));
    }

    /// Returns the id of the server's process.
    pub(crate) fn pid(&self) -> u32 {
        self.server.facts().pid.unwrap()
    }

    /// Opens another connection.
    pub(crate) fn session(&self) -> Conn {
        let conn = Conn::new(self.options.clone());
        let mut conn = self.runtime.block_on(conn).unwrap();
        self.runtime.block_on(conn.query_drop("USE shapes")).unwrap();
        conn
    }

    /// Executes a statement of another connection.
    pub(crate) fn execute_in(&self, session: &mut Conn, statement: &str) {
        let done = self.runtime.block_on(session.query_drop(statement));
        done.unwrap_or_else(|error| panic!("{statement}: {error}"));
    }

    /// Executes these statements so many times, each of them in a session of its own.
    pub(crate) fn execute_at_once(&self, statements: impl IntoIterator<Item = String>, times: usize) {
        let mut executed = JoinSet::new();
        for statement in statements {
            let mut session = self.session();
            let work = async move {
                for statement in iter::repeat_n(statement.as_str(), times).chain(["DO 1"]) {
                    let done = session.query_drop(statement).await;
                    done.unwrap_or_else(|error| panic!("{statement}: {error}"));
                }
            };
            executed.spawn_on(work, self.runtime.handle());
        }
        self.runtime.block_on(executed.join_all());
    }

    /// Executes a statement that waits for another session until that one, after `delay`, executes `release`.
    pub(crate) fn execute_blocked(
        &mut self,
        statement: &str,
        session: &mut Conn,
        delay: Duration,
        release: &str,
    ) {
        let Self { runtime, conn, .. } = self;
        let (done, released) = runtime.block_on(async {
            let release = async {
                tokio::time::sleep(delay).await;
                session.query_drop(release).await
            };
            tokio::join!(conn.query_drop(statement), release)
        });
        done.and(released)
            .unwrap_or_else(|error| panic!("{statement}, {release}: {error}"));
    }

    /// Executes a statement that waits behind that of another session, which waits for what a third one holds until that, after a
    /// delay, executes its own.
    pub(crate) fn execute_behind(
        &mut self,
        (first, other): (&str, &mut Conn),
        statement: &str,
        (delay, release, holder): (Duration, &str, &mut Conn),
    ) {
        let mut watcher = self.session();
        let Self { runtime, conn, .. } = self;
        let waiting =
            "SELECT COUNT(*) FROM information_schema.processlist WHERE state LIKE 'Waiting for%lock'";
        runtime.block_on(async {
            let behind = async {
                while watcher.query_first::<u64, _>(waiting).await? != Some(1) {}
                conn.query_drop(statement).await
            };
            let release = async {
                tokio::time::sleep(delay).await;
                holder.query_drop(release).await
            };
            let done = tokio::join!(other.query_drop(first), behind, release);
            let all = [done.0, done.1, done.2];
            all.into_iter()
                .for_each(|done| done.unwrap_or_else(|error| panic!("{statement}: {error}")));
        });
    }

    /// Returns the thread of the server that serves a connection alone.
    pub(crate) fn thread_of(&self, session: &mut Conn) -> Option<u32> {
        self.runtime.block_on(thread_of(session))
    }

    /// Traces some repetitions of these statements; `{n}` in one is the number of the repetition.
    pub(crate) fn traced(&mut self, repetitions: u32, statements: &[&str]) -> Seen {
        self.traced_at(Detail::default(), |client| {
            for n in 0..repetitions {
                for statement in statements {
                    client.execute(&statement.replace("{n}", &n.to_string()));
                }
            }
        })
    }

    /// Traces the server during `work`. Statements are explained, too, with full detail.
    pub(crate) fn traced_at(&mut self, detail: Detail, work: impl FnOnce(&mut Self)) -> Seen {
        let facts = self.server.facts();
        let mut analysis = Analysis::new(AnalysisConfig {
            server_tgid: facts.pid.unwrap(),
            logs: facts.log_names(),
            window: TimeRange::new(0, u64::MAX),
        });
        if detail == Detail::Full {
            analysis.explain_statements();
        }
        let commits = Arc::new(Mutex::new(Vec::new()));
        let explainer = Explainer {
            analysis,
            commits: Arc::clone(&commits),
        };
        let config = TracerConfig {
            pools_threads: facts.pools_threads(),
            extent: Extent {
                detail,
                ..Extent::default()
            },
            ..TracerConfig::new(facts.process.clone().unwrap())
        };
        let tracer = Tracer::start(config, explainer).unwrap();
        let started = Instant::now();
        work(self);
        let statements_ns = u64::try_from(started.elapsed().as_nanos()).unwrap();
        let Stopped {
            sink: explainer,
            account,
            ..
        } = tracer.stop().unwrap();
        assert_eq!(account.losses, Losses::default());
        let mut commits = std::mem::take(&mut *commits.lock().unwrap());
        commits.retain(|commit: &Commit| self.thread.is_none_or(|thread| commit.tid == thread));
        Seen {
            commits,
            breakdown: explainer.analysis.finish(),
            statements_ns,
        }
    }

    pub(crate) fn stop(self) {
        drop(self.conn);
        self.server.stop().unwrap();
    }
}

impl Seen {
    /// Sum of the client's commits in nanoseconds.
    pub(crate) fn total_ns(&self) -> u64 {
        self.commits
            .iter()
            .map(|commit| commit.end_ns - commit.start_ns)
            .sum()
    }

    /// The share of all commit time that the wanted causes took.
    pub(crate) fn share(&self, wanted: impl Fn(&Cause) -> bool) -> f64 {
        let wanted = self.breakdown.causes.iter().filter(|row| wanted(&row.cause));
        wanted.map(|row| row.total).sum::<u64>() as f64 / self.breakdown.commits.total.max(1) as f64
    }
}

struct Explainer {
    analysis: Analysis,
    commits: Arc<Mutex<Vec<Commit>>>,
}

impl Sink for Explainer {
    fn record(&mut self, bytes: &[u8]) {
        let record = decode(bytes).unwrap();
        if let Some(commit) = record.commit() {
            self.commits.lock().unwrap().push(commit);
        }
        self.analysis.push(record);
    }
}
