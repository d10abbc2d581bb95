//! Workloads of sysbench's OLTP scripts.
//!
//! The table is drawn once per group, and rows are changed in the order in which they are drawn, as in sysbench.
//! Therefore transactions can deadlock.

pub(crate) mod chosen_statements;
pub(crate) mod script;
pub(crate) mod statement_groups;
pub(crate) mod tables;

use crate::client::{Call, Conn};
use crate::workloads::protocol::Protocol;
use crate::workloads::request_values::Draw;
use crate::workloads::statement::Statement;
use crate::workloads::sysbench::chosen_statements::ChosenStatements;
use crate::workloads::sysbench::statement_groups::StatementGroup;
use crate::workloads::transaction::Transaction;
use crate::workloads::{Issued, WorkloadConnection, WorkloadContext};

/// Statements of a workload on one connection.
pub(crate) struct SysbenchConnection {
    groups: Vec<GroupStatements>,
    /// Number of statements of a request.
    calls: usize,
    /// Statements of each group, one for each table.
    statements: Vec<Statement>,
    transaction: Option<PreparedTransaction>,
    tables: usize,
    range_size: u32,
}

/// Statements of one group.
struct GroupStatements {
    group: StatementGroup,
    count: u32,
    /// Index of the first statement for the first table.
    first: usize,
}

/// BEGIN and COMMIT, and when they are prepared.
struct PreparedTransaction {
    transaction: Transaction,
    /// Index of the statement before which they are prepared.
    before: usize,
}

impl WorkloadConnection for SysbenchConnection {
    type Content = ChosenStatements;
    type Values = Vec<Call>;

    async fn prepare(
        conn: &mut Conn,
        statements: &ChosenStatements,
        context: &WorkloadContext,
    ) -> mysql_async::Result<Self> {
        let mut connection = Self::as_text(statements, context.dataset.tables);
        if context.protocol == Protocol::Prepared {
            connection.prepare_all(conn).await?;
        }
        Ok(connection)
    }

    fn draw(&self, draw: &mut Draw) -> Vec<Call> {
        let mut calls = Vec::with_capacity(self.calls);
        for group in self.groups.iter().filter(|group| group.count > 0) {
            let table = draw.table();
            for _ in 0..group.count {
                group.group.draw(draw, self.range_size, |index, values| {
                    let statement = &self.statements[group.first + index * self.tables + table];
                    calls.push(statement.call(values));
                });
            }
        }
        calls
    }

    async fn issue(&self, conn: &mut Conn, calls: &Vec<Call>) -> mysql_async::Result<Issued> {
        let work = async |conn: &mut Conn| {
            for call in calls {
                conn.execute(call).await?;
            }
            Ok(Issued::Done)
        };
        match &self.transaction {
            Some(prepared) => prepared.transaction.run(conn, work).await,
            None => work(conn).await,
        }
    }
}

impl SysbenchConnection {
    /// Returns statements that are all sent as text.
    fn as_text(chosen: &ChosenStatements, tables: u32) -> Self {
        let (mut groups, mut statements, mut calls) = (Vec::new(), Vec::new(), 0);
        for (group, count) in chosen.groups() {
            let first = statements.len();
            groups.push(GroupStatements { group, count, first });
            calls += group.templates().len() * count as usize;
            for template in group.templates() {
                let sql = (1..=tables).map(|table| template.replace("{}", &table.to_string()));
                statements.extend(sql.map(Statement::Text));
            }
        }
        let transaction = chosen.script.transaction.filter(|_| chosen.transaction);
        Self {
            transaction: transaction.map(|group| PreparedTransaction {
                transaction: Transaction::as_text(),
                before: groups[group].first,
            }),
            groups,
            calls,
            statements,
            tables: tables as usize,
            range_size: chosen.range_size,
        }
    }

    async fn prepare_all(&mut self, conn: &mut Conn) -> mysql_async::Result<()> {
        for (index, statement) in self.statements.iter_mut().enumerate() {
            let transaction = self.transaction.as_mut();
            if let Some(prepared) = transaction.filter(|prepared| prepared.before == index) {
                prepared.transaction.prepare(conn).await?;
            }
            statement.prepare(conn).await?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workloads::dataset::Dataset;
    use crate::workloads::keys::Keys;
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
        let connection = SysbenchConnection::as_text(requests.script().unwrap(), DATASET.tables);
        let calls = connection.draw(&mut Draw::request(DATASET, 9, number));
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
