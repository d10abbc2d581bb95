//! Connection that issues the requests of a file.

use std::cell::Cell;
use std::sync::Arc;

use crate::client::{Call, Conn};
use crate::workloads::custom::CustomWorkload;
use crate::workloads::custom::drawn::Drawn;
use crate::workloads::protocol::Protocol;
use crate::workloads::request_values::Draw;
use crate::workloads::statement::Statement;
use crate::workloads::transaction::Transaction;
use crate::workloads::{Issued, WorkloadConnection, WorkloadContext};

/// Statements of all kinds of requests on one connection.
pub(crate) struct CustomConnection {
    custom: Arc<CustomWorkload>,
    /// Statements in their order, by kind of request.
    statements: Vec<Vec<Statement>>,
    transaction: Transaction,
}

/// Values of one request.
pub(crate) struct RequestValues {
    kind: usize,
    calls: Vec<Call>,
    /// Number of statements that are committed. A further attempt continues after them.
    committed: Cell<usize>,
}

impl WorkloadConnection for CustomConnection {
    type Content = Arc<CustomWorkload>;
    type Values = RequestValues;

    async fn prepare(
        conn: &mut Conn,
        custom: &Arc<CustomWorkload>,
        context: &WorkloadContext,
    ) -> mysql_async::Result<Self> {
        let mut connection = Self::as_text(Arc::clone(custom));
        if context.protocol == Protocol::Prepared {
            connection.transaction.prepare(conn).await?;
            for statement in connection.statements.iter_mut().flatten() {
                statement.prepare(conn).await?;
            }
        }
        Ok(connection)
    }

    fn draw(&self, draw: &mut Draw) -> RequestValues {
        let kind = self.custom.weights.draw(draw.rng());
        let (number, generators) = (draw.number(), self.custom.kinds[kind].generators.iter());
        let drawn: Vec<Drawn> = generators
            .map(|generator| generator.draw(draw.rng(), number))
            .collect();
        RequestValues {
            kind,
            calls: self.calls(kind, &drawn),
            committed: Cell::new(0),
        }
    }

    fn kind(&self, values: &RequestValues) -> Option<usize> {
        Some(values.kind)
    }

    async fn issue(&self, conn: &mut Conn, values: &RequestValues) -> mysql_async::Result<Issued> {
        if self.custom.kinds[values.kind].transaction {
            let work = async |conn: &mut Conn| {
                for call in &values.calls {
                    conn.execute(call).await?;
                }
                Ok(Issued::Done)
            };
            return self.transaction.run(conn, work).await;
        }
        while let Some(call) = values.calls.get(values.committed.get()) {
            conn.execute(call).await?;
            values.committed.update(|committed| committed + 1);
        }
        Ok(Issued::Done)
    }
}

impl CustomConnection {
    /// Returns statements that are all sent as text.
    fn as_text(custom: Arc<CustomWorkload>) -> Self {
        let kinds = custom.kinds.iter();
        let statements = kinds.map(|kind| {
            let statements = kind.statements.iter();
            statements
                .map(|statement| Statement::Text(statement.sql()))
                .collect()
        });
        Self {
            statements: statements.collect(),
            custom,
            transaction: Transaction::in_any_mode(),
        }
    }

    fn calls(&self, kind: usize, drawn: &[Drawn]) -> Vec<Call> {
        let statements = self.custom.kinds[kind]
            .statements
            .iter()
            .zip(&self.statements[kind]);
        let calls = statements.map(|(sql, statement)| match statement {
            Statement::Prepared(prepared) => {
                let values = sql.parameters.iter().map(|&parameter| drawn[parameter].value());
                Call::Execute(*prepared, values.collect())
            }
            // The SQL can have question marks in strings. Only the parsed statement has the places of its parameters.
            Statement::Text(_) => Call::Query(sql.with_values(drawn)),
        });
        calls.collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::util::test_fit::assert_fits;
    use crate::workloads::dataset::Dataset;

    const FILE: &str = "
        [[request]]
        name = 'move'
        weight = 3
        statements = ['UPDATE a SET b = b - :amount WHERE id = :id', 'UPDATE c SET d = :id, e = :amount']
        [request.parameters]
        amount = { type = 'decimal', min = 0.01, max = 9.99, places = 2 }
        id = { type = 'integer', min = 1, max = 4 }

        [[request]]
        name = 'add'
        statements = ['INSERT INTO f VALUES (:id)']
        [request.parameters]
        id = { type = 'unique' }
        ";

    fn request(connection: &CustomConnection, number: u64) -> (usize, Vec<String>) {
        let values = connection.draw(&mut Draw::request(Dataset::UNUSED, 9, number));
        let sql = |call| match call {
            Call::Query(sql) => sql,
            Call::Execute(..) => panic!("nothing is prepared"),
        };
        (values.kind, values.calls.into_iter().map(sql).collect())
    }

    fn connection() -> CustomConnection {
        CustomConnection::as_text(Arc::new(CustomWorkload::read("file.toml", FILE).unwrap()))
    }

    #[test]
    fn kinds_have_their_weights_and_values_their_distribution() {
        let connection = connection();
        let (mut kinds, mut ids) = ([0; 2], BTreeMap::new());
        for number in 0..20_000 {
            let (kind, statements) = request(&connection, number);
            kinds[kind] += 1;
            if kind == 0 {
                let (_, id) = statements[0].split_once("id = ").unwrap();
                *ids.entry(id.to_owned()).or_default() += 1;
            }
            assert_eq!(request(&connection, number), (kind, statements));
        }
        assert_fits(&kinds, &[0.75, 0.25]);
        let ids: Vec<u64> = ids.into_values().collect();
        assert_fits(&ids, &[0.25; 4]);
    }

    #[test]
    fn the_statements_of_a_request_share_its_values() {
        let connection = connection();
        let moves = (0..100).map(|number| request(&connection, number));
        for (_, statements) in moves.filter(|(kind, _)| *kind == 0) {
            let (amount, id) = statements[0]["UPDATE a SET b = b - ".len()..]
                .split_once(" WHERE id = ")
                .unwrap();
            assert_eq!(statements[1], format!("UPDATE c SET d = {id}, e = {amount}"));
        }
    }

    #[test]
    fn no_two_requests_have_the_same_unique_number() {
        let connection = connection();
        let adds = (0..1000).map(|number| request(&connection, number));
        let mut adds: Vec<String> = adds
            .filter(|(kind, _)| *kind == 1)
            .map(|(_, sql)| sql[0].clone())
            .collect();
        let count = adds.len();
        adds.sort();
        adds.dedup();
        assert!(count > 100 && adds.len() == count);
    }
}
