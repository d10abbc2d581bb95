//! An update of a column without index (sysbench 1.0 `oltp_update_non_index`).

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Statement};

use super::{Workload, prepare_each};
use crate::draw::Draw;

/// One prepared UPDATE a table.
pub(crate) struct UpdateNokey {
    statements: Vec<Statement>,
}

pub(crate) struct Values {
    table: usize,
    c: String,
    id: i64,
}

impl Workload for UpdateNokey {
    type Values = Values;

    async fn prepare(conn: &mut Conn, tables: u32) -> mysql_async::Result<Self> {
        let sql = |table| format!("UPDATE sbtest{table} SET c=? WHERE id=?");
        let statements = prepare_each(conn, tables, sql).await?;
        Ok(Self { statements })
    }

    fn draw(&self, draw: &mut Draw) -> Values {
        Values {
            table: draw.table(),
            c: draw.c(),
            id: draw.key(),
        }
    }

    async fn issue(&self, conn: &mut Conn, values: &Values) -> mysql_async::Result<()> {
        let statement = &self.statements[values.table];
        conn.exec_drop(statement, (values.c.as_str(), values.id)).await
    }
}
