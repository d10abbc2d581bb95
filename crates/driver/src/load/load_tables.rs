//! Creating, filling and dropping of a workload's tables.

use std::cell::RefCell;
use std::num::NonZeroUsize;
use std::rc::Rc;

use mysql_async::Conn;
use mysql_async::prelude::Queryable;
use thiserror::Error;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::task::JoinSet;

use crate::client::target::{Target, Use};
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
use logtrace_common::ConnectError;

/// Configuration of a load.
#[derive(Clone, Debug)]
pub struct LoadConfig {
    /// Server and database.
    pub target: Target,
    /// Workload, which determines the tables.
    pub requests: Requests,
    /// Size of the tables, and the seed of their content.
    pub dataset: Dataset,
    /// Whether to create a missing database.
    pub create_database: bool,
    /// Number of connections that load at the same time.
    pub connections: NonZeroUsize,
}

/// Progress of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoadProgress {
    /// Number of rows loaded so far.
    pub rows: u64,
    /// Number of rows to load.
    pub total: u64,
}

/// Origin of the tables of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loaded {
    /// The tables were filled now.
    Anew,
    /// The tables are left from an earlier load of the same dataset.
    Before,
}

/// Reason why tables were not loaded or dropped.
#[derive(Debug, Error)]
pub enum LoadError {
    /// The event loop cannot start.
    #[error(transparent)]
    Runtime(#[from] RuntimeError),
    /// The server cannot be reached.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// The dataset is impossible.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    /// The database does not belong to logtrace.
    #[error(
        "the database {0:?} was not created by logtrace (it has no table {MARKER}), so it is not changed: \
         give the name of a database that does not exist yet"
    )]
    NotOurs(String),
    /// The database does not exist and must not be created.
    #[error(
        "the database {0:?} does not exist: let logtrace create it, or create it with CREATE DATABASE and mark it with \
         CREATE TABLE {MARKER} (id INT PRIMARY KEY)"
    )]
    NoDatabase(String),
    /// The server refuses a statement of the file.
    #[error(transparent)]
    Refused(#[from] Refused),
    /// A statement failed.
    #[error("cannot {doing}: {reason}")]
    Sql {
        /// Purpose of the statement.
        doing: String,
        /// Error of the server.
        reason: mysql_async::Error,
    },
}

/// Loads the tables of a dataset. Replaces the workload tables in the database, unless they are complete tables of the
/// same dataset.
///
/// An existing database is used only if it has the marker table. Blocks; calls `progress` after each statement.
pub fn load(config: &LoadConfig, progress: &mut dyn FnMut(LoadProgress)) -> Result<Loaded, LoadError> {
    config.dataset.check()?;
    on_this_thread(async {
        let mut conn = config.target.connect(Use::Nothing).await?;
        let loaded = ready_database(&mut conn, config).await?;
        if loaded == Loaded::Anew {
            fill_tables(config, progress).await?;
            reuse::record(&mut conn, &config.target.database, reusable(config))
                .await
                .map_err(failed("record what was loaded"))?;
        }
        close(conn).await?;
        Ok(loaded)
    })?
}

/// Drops the target's database if it has the marker table. Does nothing if the database does not exist.
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

/// Returns whether the database exists; fails if it does not belong to logtrace.
async fn owned(conn: &mut Conn, database: &str) -> Result<bool, LoadError> {
    let owner = owner(conn, database).await;
    match owner.map_err(failed("find out who created the database"))? {
        Owner::Nobody => Ok(false),
        Owner::Logtrace => Ok(true),
        Owner::Somebody => Err(LoadError::NotOurs(database.into())),
    }
}

/// Creates the database or drops its workload tables, unless it already holds the tables of the dataset.
async fn ready_database(conn: &mut Conn, config: &LoadConfig) -> Result<Loaded, LoadError> {
    let database = &config.target.database;
    if owned(conn, database).await? {
        if let Some(dataset) = reusable(config) {
            let is_loaded = reuse::is_loaded(conn, database, dataset).await;
            if is_loaded.map_err(failed("check the tables of an earlier load"))? {
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

/// Returns the dataset if a later load can reuse it. Only sysbench's tables can: other workloads change their rows for
/// good.
fn reusable(config: &LoadConfig) -> Option<Dataset> {
    config.requests.script().map(|_| config.dataset)
}

async fn drop_tables(conn: &mut Conn, config: &LoadConfig) -> mysql_async::Result<()> {
    let database = &config.target.database;
    reuse::record(conn, database, None).await?;
    let mut names = workload_tables(conn, database).await?;
    let of_file = config
        .requests
        .custom()
        .into_iter()
        .flat_map(|custom| custom.tables());
    names.extend(of_file.map(|table| table.name.clone()));
    // Tables that a killed run left may depend on each other.
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

/// Batches to load, and the sender of the progress.
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

/// Checks every statement of the file on the server, then fills its tables.
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
    // The channel ends with the last loader.
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
        // The receiver is gone only if the load was given up.
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
