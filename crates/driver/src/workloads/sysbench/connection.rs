//! Requests that are groups of statements, in a transaction or not, as in sysbench's OLTP scripts.
//!
//! As there, the table is drawn once a group, and rows are changed in the order in which they are drawn: so
//! transactions deadlock now and then.

use crate::client::connection::{Conn, Statement};
use crate::workloads::protocol::Protocol;
use crate::workloads::request_values::Draw;
use crate::workloads::statement::{Ready, written};
use crate::workloads::sysbench::chosen_statements::Statements;
use crate::workloads::sysbench::statement_groups::Args;
use crate::workloads::sysbench::statement_groups::Group;
use crate::workloads::transaction::Transaction;
use crate::workloads::workload::{Issued, Workload, WorkloadContext};

/// The statements of a workload, ready on one connection.
pub(crate) struct Scripted {
    parts: Vec<Part>,
    /// The statements of each part, one for each table. They are held here: the connection's own cache would prepare
    /// anew once there are more than it keeps.
    statements: Vec<Ready>,
    edges: Option<Edges>,
    tables: usize,
    range_size: u32,
}

/// A group of a request.
struct Part {
    group: Group,
    count: u32,
    /// The place of its first statement on the first table.
    first: usize,
}

/// What is around the statements of a transaction.
struct Edges {
    transaction: Transaction,
    /// The place of the statement before which they are prepared.
    before: usize,
}

/// One statement of a request.
pub(crate) enum Call {
    Execute(Statement, Args),
    Query(String),
}

impl Workload for Scripted {
    type Content = Statements;
    type Values = Vec<Call>;

    async fn prepare(
        conn: &mut Conn,
        statements: &Statements,
        context: &WorkloadContext,
    ) -> mysql_async::Result<Self> {
        let mut scripted = Self::as_text(statements, context.dataset.tables);
        if context.protocol == Protocol::Prepared {
            scripted.prepare_all(conn).await?;
        }
        Ok(scripted)
    }

    fn draw(&self, draw: &mut Draw) -> Vec<Call> {
        let mut calls = Vec::with_capacity(self.parts.iter().map(Part::calls).sum());
        for part in self.parts.iter().filter(|part| part.count > 0) {
            let table = draw.table();
            for _ in 0..part.count {
                part.group.draw(draw, self.range_size, |statement, args| {
                    let ready = &self.statements[part.first + statement * self.tables + table];
                    calls.push(call(ready, args));
                });
            }
        }
        calls
    }

    async fn issue(&self, conn: &mut Conn, calls: &Vec<Call>) -> mysql_async::Result<Issued> {
        match &self.edges {
            Some(edges) => {
                let transaction = &edges.transaction;
                transaction
                    .around(conn, async |conn| send(conn, calls).await)
                    .await?;
            }
            None => send(conn, calls).await?,
        }
        Ok(Issued::Done)
    }
}

async fn send(conn: &mut Conn, calls: &[Call]) -> mysql_async::Result<()> {
    for call in calls {
        match call {
            Call::Query(sql) => conn.query_drop(sql).await?,
            Call::Execute(statement, args) => {
                conn.execute_drop(*statement, &args.values()).await?;
            }
        }
    }
    Ok(())
}

impl Scripted {
    /// With every statement to be sent as text.
    fn as_text(chosen: &Statements, tables: u32) -> Self {
        let (mut parts, mut statements) = (Vec::new(), Vec::new());
        for (group, count) in chosen.groups() {
            let first = statements.len();
            parts.push(Part { group, count, first });
            for template in group.templates() {
                let sql = (1..=tables).map(|table| template.replace("{}", &table.to_string()));
                statements.extend(sql.map(Ready::Text));
            }
        }
        let edges = chosen.script.transaction.filter(|_| chosen.transaction);
        Self {
            edges: edges.map(|part| Edges {
                transaction: Transaction::as_text(),
                before: parts[part].first,
            }),
            parts,
            statements,
            tables: tables as usize,
            range_size: chosen.range_size,
        }
    }

    async fn prepare_all(&mut self, conn: &mut Conn) -> mysql_async::Result<()> {
        for (place, statement) in self.statements.iter_mut().enumerate() {
            if let Some(edges) = self.edges.as_mut().filter(|edges| edges.before == place) {
                edges.transaction.prepare(conn).await?;
            }
            statement.prepare(conn).await?;
        }
        Ok(())
    }
}

impl Part {
    fn calls(&self) -> usize {
        self.group.templates().len() * self.count as usize
    }
}

/// A statement with what a request has for it.
fn call(ready: &Ready, args: Args) -> Call {
    match ready {
        Ready::Prepared(statement) => Call::Execute(*statement, args),
        Ready::Text(sql) => Call::Query(written(sql, &args.values())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workloads::dataset::Dataset;
    use crate::workloads::keys::distribution::Keys;
    use crate::workloads::options::Requests;
    use crate::workloads::registry::WorkloadInfo;

    const DATASET: Dataset = Dataset {
        tables: 2,
        rows: 1_000_000,
        keys: Keys::Uniform,
        seed: 1,
    };

    fn request(workload: &str, number: u64) -> Vec<String> {
        let requests = Requests::plain(WorkloadInfo::find(workload).unwrap());
        let scripted = Scripted::as_text(requests.script().unwrap(), DATASET.tables);
        let calls = scripted.draw(&mut Draw::request(DATASET, 9, number));
        let sql = |call| match call {
            Call::Query(sql) => sql,
            Call::Execute(..) => panic!("nothing is prepared"),
        };
        calls.into_iter().map(sql).collect()
    }

    fn table(sql: &str) -> usize {
        let (_, after) = sql.split_once("sbtest").unwrap();
        after[..1].parse().unwrap()
    }

    #[test]
    fn a_group_is_on_one_table_in_the_order_drawn() {
        let mut tables = [0; 3];
        for number in 0..100 {
            let updates = request("write_only_10", number);
            assert_eq!(updates.len(), 10);
            let first = table(&updates[0]);
            tables[first] += 1;
            assert!(updates.iter().all(|sql| table(sql) == first));
            let ids: Vec<u32> = updates
                .iter()
                .map(|sql| sql.split_once("id=").unwrap().1.parse().unwrap())
                .collect();
            assert!(!ids.is_sorted(), "sysbench does not sort");
        }
        assert!(tables[1..].iter().all(|&drawn| drawn > 20), "{tables:?}");
    }

    #[test]
    fn each_group_draws_a_table_of_its_own() {
        let differ = (0..100).filter(|&number| {
            let updates = request("write_only", number);
            table(&updates[0]) != table(&updates[1])
        });
        assert!((20..80).contains(&differ.count()));
        // The row that is deleted and the one that comes back are in the same table.
        for number in 0..100 {
            let request = request("write_only", number);
            assert_eq!(table(&request[2]), table(&request[3]));
        }
    }
}
