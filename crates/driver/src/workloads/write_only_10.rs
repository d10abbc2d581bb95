//! Ten updates of the indexed column in one transaction (sysbench 1.0 `oltp_write_only` with `--index-updates=10
//! --non-index-updates=0 --delete-inserts=0`).
//!
//! As there, the table is drawn once a transaction, and rows are updated in the order in which they are drawn: so
//! transactions deadlock now and then.

use mysql_async::prelude::Queryable;
use mysql_async::{Conn, Error, Statement};

use super::one_row::ByKey;
use super::update_key::UpdateKey;
use super::{Workload, prepare_each};
use crate::draw::Draw;

/// Updates in a transaction.
const UPDATES: usize = 10;

/// `ER_UNSUPPORTED_PS`: a statement that the server does not prepare.
const NOT_PREPARABLE: u16 = 1295;

/// A prepared UPDATE a table, and what is around ten of them.
pub(crate) struct WriteOnly10 {
    /// MySQL does not prepare BEGIN: it is then sent as text, as sysbench does. MariaDB prepares it.
    begin: Option<Statement>,
    updates: Vec<Statement>,
    commit: Statement,
}

pub(crate) struct Values {
    table: usize,
    ids: [i64; UPDATES],
}

impl Workload for WriteOnly10 {
    type Values = Values;

    async fn prepare(conn: &mut Conn, tables: u32) -> mysql_async::Result<Self> {
        let begin = match conn.prep("BEGIN").await {
            Err(Error::Server(error)) if error.code == NOT_PREPARABLE => None,
            prepared => Some(prepared?),
        };
        let commit = conn.prep("COMMIT").await?;
        let updates = prepare_each(conn, tables, UpdateKey::sql).await?;
        Ok(Self {
            begin,
            updates,
            commit,
        })
    }

    fn draw(&self, draw: &mut Draw) -> Values {
        Values::draw(draw)
    }

    async fn issue(&self, conn: &mut Conn, values: &Values) -> mysql_async::Result<()> {
        let done = self.transaction(conn, values).await;
        if let Err(Error::Server(_)) = done {
            // A lock wait that timed out undoes its statement alone: the next BEGIN would commit those before it.
            conn.query_drop("ROLLBACK").await?;
        }
        done
    }
}

impl Values {
    fn draw(draw: &mut Draw) -> Self {
        Self {
            table: draw.table(),
            ids: std::array::from_fn(|_| draw.key()),
        }
    }
}

impl WriteOnly10 {
    async fn transaction(&self, conn: &mut Conn, values: &Values) -> mysql_async::Result<()> {
        match &self.begin {
            Some(begin) => conn.exec_drop(begin, ()).await?,
            None => conn.query_drop("BEGIN").await?,
        }
        for id in values.ids {
            conn.exec_drop(&self.updates[values.table], (id,)).await?;
        }
        conn.exec_drop(&self.commit, ()).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Dataset, Keys};

    #[test]
    fn a_transaction_updates_one_table_in_the_order_drawn() {
        let dataset = Dataset {
            tables: 2,
            rows: 1_000_000,
            keys: Keys::Uniform,
            seed: 1,
        };
        let mut tables = [0; 2];
        for number in 0..100 {
            let values = Values::draw(&mut Draw::request(dataset, 9, number));
            tables[values.table] += 1;
            let mut apart = values.ids;
            apart.sort_unstable();
            assert_ne!(apart, values.ids, "sysbench does not sort");
            assert!(apart.windows(2).filter(|pair| pair[0] == pair[1]).count() <= 1);
        }
        assert!(tables.iter().all(|&drawn| drawn > 20), "{tables:?}");
    }
}
