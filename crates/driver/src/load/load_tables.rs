//! Makes and fills the tables of a workload, and removes them again.

use std::cell::RefCell;
use std::num::NonZeroUsize;
use std::rc::Rc;

use mysql_async::Conn;
use mysql_async::prelude::Queryable;
use thiserror::Error;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::task::JoinSet;

use crate::client::target::{ConnectError, Target, Use};
use crate::load::ownership::{Owner, create_database, owner, workload_tables};
use crate::load::reuse;
use crate::util::random::Stream;
use crate::util::runtime::{RuntimeError, on_this_thread};
use crate::workloads::custom::custom_workload::CustomWorkload;
use crate::workloads::custom::server_check::{Refused, check};
use crate::workloads::dataset::{Dataset, DatasetError};
use crate::workloads::load_batch::LoadBatch;
use crate::workloads::marker::{MARKER, quoted};
use crate::workloads::options::{Content, Requests};
use crate::workloads::request_values::Draw;
use crate::workloads::sysbench::tables;
use crate::workloads::sysbench::tables::Inserts;
use crate::workloads::tpcc;
use crate::workloads::tpcc::options::Tpcc;

/// What to load, and where.
#[derive(Clone, Debug)]
pub struct LoadConfig {
    /// The server and the database.
    pub target: Target,
    /// What requests are: they say which tables there are.
    pub requests: Requests,
    /// The size of the tables, and the seed of their content.
    pub dataset: Dataset,
    /// Whether a missing database is created.
    pub create_database: bool,
    /// Tables, or parts of tables, that are loaded at the same time.
    pub connections: NonZeroUsize,
}

/// Rows loaded so far, of all that will be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadProgress {
    /// Rows that the server has.
    pub rows: u64,
    /// Rows that it will have in the end.
    pub total: u64,
}

/// Where the tables of a run come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loaded {
    /// They were filled now.
    Anew,
    /// An earlier load of the same dataset left them.
    Before,
}

/// Why tables were not made or removed.
#[derive(Debug, Error)]
pub enum LoadError {
    /// No event loop.
    #[error(transparent)]
    Runtime(#[from] RuntimeError),
    /// No server.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// No such tables.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    /// The database is somebody's.
    #[error(
        "the database {0:?} is not logtrace's own (it holds no table {MARKER}): nothing in it is touched. \
         Give a name that does not exist yet"
    )]
    NotOurs(String),
    /// There is no such database, and none may be created.
    #[error(
        "there is no database {0:?}: let it be created, or create it with CREATE DATABASE and hand it over with \
         CREATE TABLE {MARKER} (id INT PRIMARY KEY)"
    )]
    NoDatabase(String),
    /// A statement of the file cannot be sent to this server.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// A statement failed.
    #[error("cannot {doing}: {reason}")]
    Sql {
        /// What the statement was for.
        doing: String,
        /// What the server said.
        reason: mysql_async::Error,
    },
}

/// Loads the tables of a dataset, in place of the workload tables that the database holds; those stay where they are
/// of the same dataset and have all of its rows.
///
/// A database that exists is used only when it is marked as logtrace's own. Blocks; `progress` is called after each
/// statement.
pub fn load(config: &LoadConfig, progress: &mut dyn FnMut(LoadProgress)) -> Result<Loaded, LoadError> {
    config.dataset.check()?;
    on_this_thread(async {
        let mut conn = config.target.connect(Use::Nothing).await?;
        let loaded = ready_database(&mut conn, config).await?;
        if loaded == Loaded::Anew {
            fill_tables(config, progress).await?;
            reuse::note(&mut conn, &config.target.database, reusable(config))
                .await
                .map_err(failed("note what was loaded"))?;
        }
        close(conn).await?;
        Ok(loaded)
    })?
}

/// Drops the target's database if it is marked as logtrace's own; a database that does not exist is fine.
pub fn drop_database(target: &Target) -> Result<(), LoadError> {
    on_this_thread(async {
        let mut conn = target.connect(Use::Nothing).await?;
        if owned(&mut conn, &target.database).await? {
            let sql = format!("DROP DATABASE {}", quoted(&target.database));
            conn.query_drop(sql).await.map_err(failed("drop the database"))?;
        }
        close(conn).await
    })?
}

/// Whether there is a database of this name; an error if it is not ours.
async fn owned(conn: &mut Conn, database: &str) -> Result<bool, LoadError> {
    let owner = owner(conn, database).await;
    match owner.map_err(failed("see whose the database is"))? {
        Owner::Nobody => Ok(false),
        Owner::Logtrace => Ok(true),
        Owner::Somebody => Err(LoadError::NotOurs(database.into())),
    }
}

/// Makes the database and empties it, unless it holds the tables already.
async fn ready_database(conn: &mut Conn, config: &LoadConfig) -> Result<Loaded, LoadError> {
    let database = &config.target.database;
    if owned(conn, database).await? {
        if let Some(dataset) = reusable(config) {
            let holds = reuse::holds(conn, database, dataset).await;
            if holds.map_err(failed("see what an earlier load left"))? {
                return Ok(Loaded::Before);
            }
        }
        drop_tables(conn, config)
            .await
            .map_err(failed("drop the tables of an earlier load"))?;
    } else if config.create_database {
        create_database(conn, database)
            .await
            .map_err(failed("create the database"))?;
    } else {
        return Err(LoadError::NoDatabase(database.clone()));
    }
    Ok(Loaded::Anew)
}

/// What a later load may find again. Only sysbench's tables: nothing brings the rows of others back to what they were.
fn reusable(config: &LoadConfig) -> Option<Dataset> {
    config.requests.script().map(|_| config.dataset)
}

async fn drop_tables(conn: &mut Conn, config: &LoadConfig) -> mysql_async::Result<()> {
    let database = &config.target.database;
    reuse::note(conn, database, None).await?;
    let mut names = workload_tables(conn, database).await?;
    let of_file = config
        .requests
        .custom()
        .into_iter()
        .flat_map(|custom| custom.tables());
    names.extend(of_file.map(|table| table.name.clone()));
    // A table of a file that a killed run left may have others that depend on it.
    conn.query_drop("SET foreign_key_checks = 0").await?;
    for table in names {
        let sql = format!("DROP TABLE IF EXISTS {}.{}", quoted(database), quoted(&table));
        conn.query_drop(sql).await?;
    }
    Ok(())
}

/// Returns the load of one whole table of sysbench's.
fn sysbench_table(dataset: Dataset, table: u32) -> LoadBatch {
    let draw = Draw::from_rng(dataset, Stream::Load(table).rng(dataset.seed));
    LoadBatch {
        name: format!("the table sbtest{table}"),
        before: Some(tables::create_table(table)),
        inserts: Box::new(Inserts::new(table, dataset.rows, draw)),
        after: Some(tables::create_index(table)),
    }
}

/// What the loaders take from, and where they say how far they are.
#[derive(Clone)]
struct Work {
    parts: Rc<RefCell<dyn Iterator<Item = LoadBatch>>>,
    progress: UnboundedSender<u32>,
}

async fn fill_tables(config: &LoadConfig, progress: &mut dyn FnMut(LoadProgress)) -> Result<(), LoadError> {
    match config.requests.content() {
        Content::Script(_) => {
            let dataset = config.dataset;
            let parts = (1..=dataset.tables).map(move |table| sysbench_table(dataset, table));
            fill_parts(config, parts, dataset.total_rows(), progress).await
        }
        Content::Tpcc(tpcc) => fill_warehouses(*tpcc, config, progress).await,
        Content::File(custom) => fill_tables_of(custom, config, progress).await,
    }
}

async fn fill_warehouses(
    tpcc: Tpcc,
    config: &LoadConfig,
    progress: &mut dyn FnMut(LoadProgress),
) -> Result<(), LoadError> {
    let seed = config.dataset.seed;
    let mut conn = config.target.connect(Use::Database).await?;
    for sql in tpcc::schema::create_tables() {
        conn.query_drop(sql).await.map_err(failed("create the tables"))?;
    }
    close(conn).await?;
    let parts = tpcc::load::load_batches(tpcc.warehouses, seed);
    let total = tpcc::load::total_rows(tpcc.warehouses, seed);
    fill_parts(config, parts, total, progress).await
}

/// Nothing is filled before the server has seen every statement of the file.
async fn fill_tables_of(
    custom: &CustomWorkload,
    config: &LoadConfig,
    progress: &mut dyn FnMut(LoadProgress),
) -> Result<(), LoadError> {
    let mut conn = config.target.connect(Use::Database).await?;
    check(&mut conn, custom).await?;
    close(conn).await?;
    let parts = custom.load_batches(config.dataset.seed);
    let total = custom.table_rows().sum();
    fill_parts(config, parts, total, progress).await
}

async fn fill_parts(
    config: &LoadConfig,
    parts: impl Iterator<Item = LoadBatch> + 'static,
    total: u64,
    progress: &mut dyn FnMut(LoadProgress),
) -> Result<(), LoadError> {
    let mut loaders = JoinSet::new();
    let (sender, mut receiver) = unbounded_channel();
    let work = Work {
        parts: Rc::new(RefCell::new(parts)),
        progress: sender,
    };
    for _ in 0..config.connections.get() {
        let conn = config.target.connect(Use::Database).await?;
        loaders.spawn_local(fill_each(conn, work.clone()));
    }
    // The loaders hold the other ends: the channel ends with the last of them.
    drop(work);
    let mut done = LoadProgress { rows: 0, total };
    while let Some(rows) = receiver.recv().await {
        done.rows += u64::from(rows);
        progress(done);
    }
    loaders.join_all().await.into_iter().collect()
}

async fn fill_each(mut conn: Conn, work: Work) -> Result<(), LoadError> {
    loop {
        let part = work.parts.borrow_mut().next();
        let Some(part) = part else {
            return close(conn).await;
        };
        let doing = format!("load {}", part.name);
        fill(&mut conn, part, &work.progress)
            .await
            .map_err(failed(&doing))?;
    }
}

async fn fill(conn: &mut Conn, part: LoadBatch, progress: &UnboundedSender<u32>) -> mysql_async::Result<()> {
    if let Some(sql) = part.before {
        conn.query_drop(sql).await?;
    }
    for (sql, rows) in part.inserts {
        conn.query_drop(sql).await?;
        // Nobody listens any more only when the load itself was given up.
        let _ = progress.send(rows);
    }
    match part.after {
        Some(sql) => conn.query_drop(sql).await,
        None => Ok(()),
    }
}

async fn close(conn: Conn) -> Result<(), LoadError> {
    conn.disconnect().await.map_err(failed("close the connection"))
}

fn failed(doing: &str) -> impl FnOnce(mysql_async::Error) -> LoadError {
    let doing = doing.to_owned();
    |reason| LoadError::Sql { doing, reason }
}
