//! What only a server can tell of a file: which databases it has, and whether it takes the statements.

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Error};
use thiserror::Error as ThisError;

use super::Custom;
use super::statement::Statement;
use crate::workloads::ready::NOT_PREPARABLE;

/// `ER_DBACCESS_DENIED_ERROR`, `ER_TABLEACCESS_DENIED_ERROR`, `ER_COLUMNACCESS_DENIED_ERROR` and
/// `ER_SPECIFIC_ACCESS_DENIED_ERROR`.
const DENIED: [u16; 4] = [1044, 1142, 1143, 1227];

/// A mode in which a backslash in a text does not stand for what follows it.
const NO_BACKSLASH_ESCAPES: &str = "NO_BACKSLASH_ESCAPES";

/// A statement of a file that cannot be sent to this server.
#[derive(Debug, ThisError)]
pub enum Refused {
    /// The server says so.
    #[error("{place}: the server refuses it: {source}. The statement: {sql}")]
    ByServer {
        /// The file, and which statement it is.
        place: String,
        /// The statement.
        sql: String,
        /// What the server said.
        source: Error,
    },
    /// It may reach another database.
    #[error(
        "{place}: {name} stands before a point, and the server has a database of this name: only tables of the file \
         can be used, give the table or its alias another name. The statement: {sql}"
    )]
    Database {
        /// The file, and which statement it is.
        place: String,
        /// The statement.
        sql: String,
        /// The name.
        name: String,
    },
    /// What is a text in the file is none to the server.
    #[error(
        "{file}: the server's sql_mode has {NO_BACKSLASH_ESCAPES}, in which texts with backslashes mean something else: \
         take it out of sql_mode"
    )]
    Backslashes {
        /// The file.
        file: String,
    },
}

impl Refused {
    /// Whether the account lacks rights.
    pub fn is_denied(&self) -> bool {
        matches!(self, Self::ByServer { source: Error::Server(error), .. } if DENIED.contains(&error.code))
    }
}

/// What the server's answers depend on.
pub(crate) struct Surroundings {
    /// The databases that the account can see; it can use no other.
    pub(crate) databases: Vec<String>,
    /// The variable of this name.
    pub(crate) sql_mode: String,
}

impl Surroundings {
    /// Asks the server.
    pub(crate) async fn ask(conn: &mut Conn) -> mysql_async::Result<Self> {
        let databases = "SELECT schema_name FROM information_schema.schemata";
        Ok(Self {
            databases: conn.query(databases).await?,
            sql_mode: conn.query_first("SELECT @@sql_mode").await?.unwrap_or_default(),
        })
    }
}

/// Refuses a file with statements that may reach another database, or that mean something else to this server.
pub(crate) fn check_names(custom: &Custom, surroundings: &Surroundings) -> Result<(), Refused> {
    if surroundings.sql_mode.contains(NO_BACKSLASH_ESCAPES) {
        let file = custom.name.clone();
        return Err(Refused::Backslashes { file });
    }
    let is_database = |name: &&String| {
        let mut databases = surroundings.databases.iter();
        databases.any(|database| database.to_lowercase() == name.to_lowercase())
    };
    for (place, statement) in statements(custom) {
        if let Some(name) = statement.qualifiers.iter().find(is_database) {
            return Err(Refused::Database {
                place,
                sql: statement.sql(),
                name: name.clone(),
            });
        }
    }
    Ok(())
}

/// Creates the tables, and lets the server prepare every statement of the requests and of the load, before any row is
/// there.
pub(crate) async fn check(conn: &mut Conn, custom: &Custom) -> Result<(), Refused> {
    for table in custom.tables() {
        let place = format!("{}: create of the table {}", custom.name, table.name);
        let created = conn.query_drop(table.create.as_str()).await;
        created.map_err(refused(place, &table.create))?;
    }
    for table in custom.tables().filter(|table| table.rows > 0) {
        let places = vec!["?"; table.columns.len()].join(",");
        let sql = format!("INSERT INTO {} VALUES ({places})", table.target());
        let place = format!("{}: the columns of the table {}", custom.name, table.name);
        prepare(conn, &sql).await.map_err(refused(place, &sql))?;
    }
    for (place, statement) in statements(custom) {
        let sql = statement.sql();
        prepare(conn, &sql).await.map_err(refused(place, &sql))?;
    }
    Ok(())
}

/// All statements of requests, each with what it is for messages.
fn statements(custom: &Custom) -> impl Iterator<Item = (String, &Statement)> {
    custom.kinds.iter().flat_map(|kind| {
        (1..).zip(&kind.statements).map(|(number, statement)| {
            let place = format!("{}: statement {number} of the request {}", custom.name, kind.name);
            (place, statement)
        })
    })
}

fn refused(place: String, sql: &str) -> impl FnOnce(Error) -> Refused {
    let sql = sql.trim().to_owned();
    move |source| Refused::ByServer { place, sql, source }
}

async fn prepare(conn: &mut Conn, sql: &str) -> mysql_async::Result<()> {
    match conn.prep(sql).await {
        Ok(statement) => conn.close(statement).await,
        Err(Error::Server(error)) if error.code == NOT_PREPARABLE => Ok(()),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "[[request]]\nname = 'read'\nstatements = ['SELECT shop.id FROM account AS shop']\n";

    fn checked(databases: &[&str], sql_mode: &str) -> Result<(), String> {
        let surroundings = Surroundings {
            databases: databases.iter().map(|&name| name.to_owned()).collect(),
            sql_mode: sql_mode.into(),
        };
        let custom = Custom::read("a.toml", FILE).unwrap();
        check_names(&custom, &surroundings).map_err(|error| error.to_string())
    }

    #[test]
    fn an_alias_that_is_a_database_too_is_refused() {
        assert_eq!(checked(&["mysql", "shops"], "STRICT_TRANS_TABLES"), Ok(()));
        let error = checked(&["mysql", "Shop"], "").unwrap_err();
        assert!(
            error.starts_with("a.toml: statement 1 of the request read: shop stands"),
            "{error}"
        );
        assert!(error.contains("another name"), "{error}");
    }

    #[test]
    fn texts_mean_what_they_mean_in_the_file() {
        let error = checked(&[], "ANSI_QUOTES,NO_BACKSLASH_ESCAPES").unwrap_err();
        assert!(
            error.contains("a.toml") && error.contains("take it out"),
            "{error}"
        );
    }
}
