//! An insert of one row (sysbench 1.0 `oltp_insert`): always as text, never prepared.

use mysql_async::Conn;
use mysql_async::prelude::Queryable;

use super::Workload;
use crate::draw::Draw;

/// Nothing to prepare: every statement is sent whole.
pub(crate) struct Insert;

impl Workload for Insert {
    /// The statement.
    type Values = String;

    async fn prepare(_: &mut Conn, _: u32) -> mysql_async::Result<Self> {
        Ok(Self)
    }

    fn draw(&self, draw: &mut Draw) -> String {
        let (table, k) = (draw.table() + 1, draw.key());
        let (c, pad) = (draw.c(), draw.pad());
        // The id 0 makes the server number the row itself.
        format!("INSERT INTO sbtest{table} (id, k, c, pad) VALUES (0, {k}, '{c}', '{pad}')")
    }

    async fn issue(&self, conn: &mut Conn, sql: &String) -> mysql_async::Result<()> {
        conn.query_drop(sql.as_str()).await
    }
}
