//! A read of one row by primary key (sysbench 1.0 `oltp_point_select`).

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Statement};

use super::{Workload, prepare_each};
use crate::draw::Draw;

/// One prepared SELECT a table.
pub(crate) struct PointSelect {
    statements: Vec<Statement>,
}

pub(crate) struct Values {
    table: usize,
    id: i64,
}

impl Workload for PointSelect {
    type Values = Values;

    async fn prepare(conn: &mut Conn, tables: u32) -> mysql_async::Result<Self> {
        let sql = |table| format!("SELECT c FROM sbtest{table} WHERE id=?");
        let statements = prepare_each(conn, tables, sql).await?;
        Ok(Self { statements })
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
