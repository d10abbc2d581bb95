//! Requests that are one prepared statement with one drawn key.

use std::marker::PhantomData;

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Statement};

use super::{Workload, prepare_each};
use crate::draw::Draw;

/// A statement whose only parameter is the primary key of a row.
pub(crate) trait ByKey: 'static {
    /// The statement on `sbtestTABLE`.
    fn sql(table: u32) -> String;
}

/// The workload of such a statement: one prepared for each table.
pub(crate) struct OneRow<S> {
    statements: Vec<Statement>,
    statement: PhantomData<S>,
}

pub(crate) struct Values {
    table: usize,
    id: i64,
}

impl<S: ByKey> Workload for OneRow<S> {
    type Values = Values;

    async fn prepare(conn: &mut Conn, tables: u32) -> mysql_async::Result<Self> {
        Ok(Self {
            statements: prepare_each(conn, tables, S::sql).await?,
            statement: PhantomData,
        })
    }

    fn draw(&self, draw: &mut Draw) -> Values {
        Values {
            table: draw.table(),
            id: draw.key(),
        }
    }

    async fn issue(&self, conn: &mut Conn, values: &Values) -> mysql_async::Result<()> {
        conn.exec_drop(&self.statements[values.table], (values.id,)).await
    }
}
