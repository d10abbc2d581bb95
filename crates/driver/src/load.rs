//! Makes and fills the tables of a workload, and removes them again.

use std::num::NonZeroUsize;

use mysql_async::Conn;
use mysql_async::prelude::Queryable;
use thiserror::Error;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::task::JoinSet;

use crate::dataset::{Dataset, DatasetError};
use crate::draw::Draw;
use crate::loaded;
use crate::random::Stream;
use crate::runtime::{RuntimeError, on_this_thread};
use crate::schema::{self, Inserts, MARKER, Owner, quoted};
use crate::target::{ConnectError, Target, Use};

/// What to load, and where.
#[derive(Clone, Debug)]
pub struct LoadConfig {
    /// The server and the database.
    pub target: Target,
    /// The tables.
    pub dataset: Dataset,
    /// Whether a missing database is created.
    pub create_database: bool,
    /// Tables that are loaded at the same time.
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
    /// A statement failed.
    #[error("cannot {doing}: {source}")]
    Sql {
        /// What the statement was for.
        doing: String,
        /// What the server said.
        source: mysql_async::Error,
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
            loaded::note(&mut conn, &config.target.database, Some(config.dataset))
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
    let owner = schema::owner(conn, database).await;
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
        let holds = loaded::holds(conn, database, config.dataset).await;
        if holds.map_err(failed("see what an earlier load left"))? {
            return Ok(Loaded::Before);
        }
        drop_tables(conn, database)
            .await
            .map_err(failed("drop the tables of an earlier load"))?;
    } else if config.create_database {
        schema::create_database(conn, database)
            .await
            .map_err(failed("create the database"))?;
    } else {
        return Err(LoadError::NoDatabase(database.clone()));
    }
    Ok(Loaded::Anew)
}

async fn drop_tables(conn: &mut Conn, database: &str) -> mysql_async::Result<()> {
    loaded::note(conn, database, None).await?;
    for table in schema::workload_tables(conn, database).await? {
        let sql = format!("DROP TABLE {}.{}", quoted(database), quoted(&table));
        conn.query_drop(sql).await?;
    }
    Ok(())
}

async fn fill_tables(config: &LoadConfig, progress: &mut dyn FnMut(LoadProgress)) -> Result<(), LoadError> {
    let Dataset { tables, .. } = config.dataset;
    let step = config.connections.get();
    let mut loaders = JoinSet::new();
    let (sender, mut receiver) = unbounded_channel();
    for first in (1..=tables).take(step) {
        let tables = (first..=tables).step_by(step);
        let conn = config.target.connect(Use::Database).await?;
        loaders.spawn_local(fill_each(conn, config.dataset, tables, sender.clone()));
    }
    // The loaders hold the other ends: the channel ends with the last of them.
    drop(sender);
    let mut done = LoadProgress {
        rows: 0,
        total: config.dataset.total_rows(),
    };
    while let Some(rows) = receiver.recv().await {
        done.rows += u64::from(rows);
        progress(done);
    }
    loaders.join_all().await.into_iter().collect()
}

async fn fill_each(
    mut conn: Conn,
    dataset: Dataset,
    tables: impl Iterator<Item = u32>,
    progress: UnboundedSender<u32>,
) -> Result<(), LoadError> {
    for table in tables {
        fill(&mut conn, dataset, table, &progress)
            .await
            .map_err(failed(&format!("load the table sbtest{table}")))?;
    }
    close(conn).await
}

async fn fill(
    conn: &mut Conn,
    dataset: Dataset,
    table: u32,
    progress: &UnboundedSender<u32>,
) -> mysql_async::Result<()> {
    conn.query_drop(schema::create_table(table)).await?;
    let draw = Draw::from_rng(dataset, Stream::Load(table).rng(dataset.seed));
    for (sql, rows) in Inserts::new(table, dataset.rows, draw) {
        conn.query_drop(sql).await?;
        // Nobody listens any more only when the load itself was given up.
        let _ = progress.send(rows);
    }
    conn.query_drop(schema::create_index(table)).await
}

async fn close(conn: Conn) -> Result<(), LoadError> {
    conn.disconnect().await.map_err(failed("close the connection"))
}

fn failed(doing: &str) -> impl FnOnce(mysql_async::Error) -> LoadError {
    let doing = doing.to_owned();
    |source| LoadError::Sql { doing, source }
}
