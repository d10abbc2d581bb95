//! Batches of rows of the load, and their INSERT statements.

/// Longest statement that the load sends, in bytes (sysbench's `BULK_PACKET_SIZE`).
pub(crate) const LONGEST_INSERT: usize = 512 * 1024;

/// Rows that one connection loads at a time.
pub(crate) struct LoadBatch {
    /// Name of the batch for messages.
    pub(crate) name: String,
    /// Statements, each with the number of rows that it inserts.
    pub(crate) statements: Box<dyn Iterator<Item = (String, u32)>>,
}

impl LoadBatch {
    pub(crate) fn new(name: String, statements: impl Iterator<Item = (String, u32)> + 'static) -> Self {
        let statements = Box::new(statements);
        Self { name, statements }
    }
}

/// Returns the statements that insert these rows, each with its number of rows. `into` is the name of the table, with a
/// list of columns if rows do not have all columns. Each row is a list of values in parentheses.
pub(crate) fn inserts(
    into: impl Into<String>,
    rows: impl Iterator<Item = String>,
) -> impl Iterator<Item = (String, u32)> {
    let (into, mut rows) = (into.into(), rows.peekable());
    std::iter::from_fn(move || {
        let mut sql = format!("INSERT INTO {into} VALUES {}", rows.next()?);
        let mut count = 1;
        while let Some(row) = rows.next_if(|row| sql.len() + 1 + row.len() <= LONGEST_INSERT) {
            sql.push(',');
            sql.push_str(&row);
            count += 1;
        }
        Some((sql, count))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_in_one_statement_and_no_statement_is_too_long() {
        let rows = || (0..100_000).map(|number| format!("({number})"));
        let statements: Vec<(String, u32)> = inserts("item", rows()).collect();
        assert_eq!(statements.iter().map(|(_, count)| count).sum::<u32>(), 100_000);
        assert_eq!(statements.len(), 2);
        assert!(statements.iter().all(|(sql, _)| sql.len() <= LONGEST_INSERT));
        let head = "INSERT INTO item VALUES ";
        let joined: Vec<&str> = statements
            .iter()
            .map(|(sql, _)| sql.strip_prefix(head).unwrap())
            .collect();
        assert_eq!(joined.join(","), rows().collect::<Vec<_>>().join(","));
        assert_eq!(inserts("item", std::iter::empty()).next(), None);
    }
}
