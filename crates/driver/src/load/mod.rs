//! Creating and filling the tables that workloads use.

mod count_rows;
mod ownership;
mod reuse;

use std::cell::RefCell;
use std::iter::once;
use std::num::NonZeroUsize;
use std::rc::Rc;

use anyhow::anyhow;
use logtrace_common::{ServerConn, Variable};
use mysql_async::Conn;
use mysql_async::prelude::Queryable;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio::task::JoinSet;

use crate::client::session_check::{set_session, set_up};
use crate::client::target::Target;
use crate::client::{self as client, Call};
use crate::error::{DriveError, failed};
use crate::load::count_rows::check_rows;
use crate::load::ownership::{create_database, owned, workload_tables};
use crate::util::marker::quoted;
use crate::util::runtime::on_this_thread;
use crate::workloads::custom::CustomWorkload;
use crate::workloads::custom::server_check::check;
use crate::workloads::dataset::Dataset;
use crate::workloads::load_batch::{LONGEST_INSERT, LoadBatch};
use crate::workloads::options::{Content, Requests};
use crate::workloads::sysbench::tables;
use crate::workloads::tpcc;

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
    /// Session variables that each connection of the drive sets. The load takes only what stored programs keep of the session
    /// that creates them: `sql_mode`.
    pub session: Vec<Variable>,
    /// Global variables that were set on the server for the drive. What creates stored programs leaves them as they are.
    pub globals: Vec<Variable>,
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

/// Loads the tables of a dataset. Replaces the workload tables in the database, unless they are complete tables of the
/// same dataset.
///
/// An existing database is used only if it has the marker table. Blocks; calls `progress` after each statement.
pub fn load(config: &LoadConfig, progress: &mut dyn FnMut(LoadProgress)) -> Result<Loaded, DriveError> {
    config.dataset.check()?;
    on_this_thread(async {
        let mut conn = config.target.connect_to_server().await?;
        let loaded = ready_database(&mut conn, config).await?;
        if loaded == Loaded::Anew {
            fill_tables(config, progress).await?;
            check_rows(
                &mut conn,
                &config.target.database,
                &config.requests,
                config.dataset,
            )
            .await?;
            reuse::record(&mut conn, &config.target.database, reusable(config))
                .await
                .map_err(failed("record what was loaded"))?;
        }
        close(conn).await?;
        Ok(loaded)
    })?
}

/// Drops the target's database if it has the marker table. Does nothing if the database does not exist.
pub fn drop_database(target: &Target) -> Result<(), DriveError> {
    on_this_thread(async {
        let mut conn = target.connect_to_server().await?;
        if owned(&mut conn, &target.database).await? {
            let sql = format!("DROP DATABASE {}", quoted(&target.database));
            conn.query_drop(sql).await.map_err(failed("drop the database"))?;
        }
        close(conn).await
    })?
}

/// Creates the database or drops its workload tables, unless it already holds the tables of the dataset.
async fn ready_database(conn: &mut Conn, config: &LoadConfig) -> Result<Loaded, DriveError> {
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
        return Err(DriveError::NoDatabase(database.clone()));
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
        .flat_map(|custom| &custom.tables);
    names.extend(of_file.map(|table| table.name.clone()));
    // Tables that a killed run left may depend on each other.
    conn.query_drop("SET foreign_key_checks = 0").await?;
    for table in names {
        let sql = format!("DROP TABLE IF EXISTS {}.{}", quoted(database), quoted(&table));
        conn.query_drop(sql).await?;
    }
    Ok(())
}

/// Fills the tables. Those of a file are filled only after a check of every statement of the file on the server.
async fn fill_tables(config: &LoadConfig, progress: &mut dyn FnMut(LoadProgress)) -> Result<(), DriveError> {
    let dataset = config.dataset;
    match config.requests.content() {
        Content::Script(_) => {
            let batches = (1..=dataset.tables).map(move |table| tables::load_batch(dataset, table));
            fill_batches(config, batches, dataset.total_rows(), progress).await
        }
        Content::Tpcc(tpcc) => {
            execute(config, tpcc::schema::create_tables(), "create the tables").await?;
            let batches = tpcc::load::load_batches(tpcc.warehouses, dataset.seed);
            let total = tpcc::load::total_rows(tpcc.warehouses, dataset.seed);
            fill_batches(config, batches, total, progress).await?;
            if tpcc.profile.has_foreign_keys() {
                // What is there is not checked: the load is right.
                let unchecked = once("SET foreign_key_checks = 0".to_owned());
                let keys = unchecked.chain(tpcc::schema::add_foreign_keys());
                execute(config, keys, "add the foreign keys").await?;
            }
            if tpcc.profile.has_procedures() {
                let procedures = tpcc::procedures::definitions::create_procedures();
                create_stored(config, procedures).await?;
            }
            Ok(())
        }
        Content::File(custom) => {
            check_file(config, custom).await?;
            let batches = custom.load_batches(dataset.seed);
            fill_batches(config, batches, custom.table_rows().sum(), progress).await
        }
    }
}

/// Creates the tables of a file and checks its statements.
async fn check_file(config: &LoadConfig, custom: &CustomWorkload) -> Result<(), DriveError> {
    let mut conn = connect_as_requests(config).await?;
    check(&mut conn, custom, config.requests.protocol()).await?;
    // If the session does not end in order, the server ends it.
    let _ = conn.disconnect().await;
    Ok(())
}

/// Creates stored procedures. They run with the `sql_mode` of the session that creates them, so it is the one that the user
/// set: in another one the setting would have no effect on what is measured, and nothing would say so. A mode in which the
/// server cannot read them (MariaDB's ORACLE) is an error.
async fn create_stored(
    config: &LoadConfig,
    statements: impl Iterator<Item = String>,
) -> Result<(), DriveError> {
    let mut conn = connect_as_requests(config).await?;
    let mut set = config.session.iter().chain(&config.globals);
    let purpose = match set.find(|variable| variable.name() == "sql_mode") {
        Some(mode) => {
            format!("create the stored procedures with {mode} (they take most modes, but no other syntax)")
        }
        None => "create the stored procedures".to_owned(),
    };
    for sql in statements {
        let created = conn.execute(&Call::Query(sql)).await;
        created.map_err(failed(purpose.clone()))?;
    }
    let _ = conn.disconnect().await;
    Ok(())
}

/// Returns a session like those of the requests, as far as it matters to tables and stored programs.
async fn connect_as_requests(config: &LoadConfig) -> Result<client::Conn, DriveError> {
    let Target {
        connection, database, ..
    } = &config.target;
    let mut conn = client::Conn::connect(connection, Some(database)).await?;
    set_up(&mut conn, connection, config.requests.session(), &config.globals).await?;
    let modes = config
        .session
        .iter()
        .filter(|variable| variable.name() == "sql_mode");
    set_session(&mut conn, &modes.cloned().collect::<Vec<_>>()).await?;
    Ok(conn)
}

/// Executes statements on a connection of their own. `purpose` says in errors what they do.
async fn execute(
    config: &LoadConfig,
    statements: impl Iterator<Item = String>,
    purpose: &str,
) -> Result<(), DriveError> {
    let mut conn = config.target.connect().await?;
    for sql in statements {
        conn.query_drop(sql).await.map_err(failed(purpose))?;
    }
    close(conn).await
}

async fn fill_batches(
    config: &LoadConfig,
    batches: impl Iterator<Item = LoadBatch> + 'static,
    total: u64,
    progress: &mut dyn FnMut(LoadProgress),
) -> Result<(), DriveError> {
    let mut loaders = JoinSet::new();
    let (sender, mut receiver) = unbounded_channel();
    let batches = Rc::new(RefCell::new(batches));
    for _ in 0..config.connections.get() {
        let conn = config.target.connect().await?;
        loaders.spawn_local(fill_each(conn, Rc::clone(&batches), sender.clone()));
    }
    // The channel ends with the last loader.
    drop(sender);
    let mut done = LoadProgress { rows: 0, total };
    while let Some(rows) = receiver.recv().await {
        done.rows += u64::from(rows);
        progress(done);
    }
    loaders.join_all().await.into_iter().collect()
}

/// Loads batches until there are no more, and sends the number of rows after each statement that inserts rows.
async fn fill_each(
    mut conn: ServerConn,
    batches: Rc<RefCell<impl Iterator<Item = LoadBatch>>>,
    progress: UnboundedSender<u32>,
) -> Result<(), DriveError> {
    // Without an answer the server refuses what is too long.
    let limit = conn.query_first("SELECT @@max_allowed_packet").await;
    let limit = limit.ok().flatten().unwrap_or(u64::MAX);
    loop {
        let batch = batches.borrow_mut().next();
        let Some(batch) = batch else {
            return close(conn).await;
        };
        for (sql, rows) in batch.statements {
            check_length(&batch.name, sql.len(), limit)?;
            let loaded = conn.query_drop(sql).await;
            loaded.map_err(failed(format!("load {}", batch.name)))?;
            if rows > 0 {
                // The receiver is gone only if the load was given up.
                let _ = progress.send(rows);
            }
        }
    }
}

/// Refuses a statement that is longer than the server takes: it would close the connection, and say nothing of the reason. The
/// packet of a statement has a byte more, and has to be shorter than the limit (sql/net_serv.cc, `my_net_read`).
fn check_length(batch: &str, bytes: usize, limit: u64) -> Result<(), DriveError> {
    match u64::try_from(bytes).is_ok_and(|bytes| bytes.saturating_add(1) < limit) {
        true => Ok(()),
        false => Err(anyhow!(
            "cannot load {batch}: a statement has {bytes} bytes, and max_allowed_packet of the server is {limit}. Give it a value \
             above {LONGEST_INSERT}, such as --set max_allowed_packet=16777216"
        )
        .into()),
    }
}

async fn close(conn: ServerConn) -> Result<(), DriveError> {
    conn.disconnect().await.map_err(failed("close the connection"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_that_is_too_long_names_the_variable() {
        check_length("the items", 100, 102).unwrap();
        let error = check_length("the items", 101, 102).unwrap_err().to_string();
        for words in [
            "the items",
            "101 bytes",
            "max_allowed_packet of the server is 102",
            "--set",
        ] {
            assert!(error.contains(words), "{error}");
        }
    }
}
