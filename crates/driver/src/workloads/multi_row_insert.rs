//! Multi-row INSERT statements of half a megabyte.

use std::iter::Peekable;

/// Longest statement that the load sends, in bytes (sysbench's `BULK_PACKET_SIZE`).
pub(crate) const LONGEST_INSERT: usize = 512 * 1024;

/// Iterator over the INSERT statements of one table, each with its number of rows.
#[derive(Debug)]
pub(crate) struct Batches<I: Iterator<Item = String>> {
    /// Name of the table, with a list of columns if rows do not have all columns.
    into: String,
    rows: Peekable<I>,
}

/// Returns the statements that insert these rows. Each row is a list of values in parentheses.
pub(crate) fn batches<I: Iterator<Item = String>>(into: impl Into<String>, rows: I) -> Batches<I> {
    Batches {
        into: into.into(),
        rows: rows.peekable(),
    }
}

impl<I: Iterator<Item = String>> Iterator for Batches<I> {
    type Item = (String, u32);

    fn next(&mut self) -> Option<(String, u32)> {
        let mut sql = format!("INSERT INTO {} VALUES ", self.into);
        sql.push_str(&self.rows.next()?);
        let mut count = 1;
        while let Some(row) = self
            .rows
            .next_if(|row| sql.len() + 1 + row.len() <= LONGEST_INSERT)
        {
            sql.push(',');
            sql.push_str(&row);
            count += 1;
        }
        Some((sql, count))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_in_one_statement_and_no_statement_is_too_long() {
        let rows = || (0..100_000).map(|number| format!("({number})"));
        let statements: Vec<(String, u32)> = batches("item", rows()).collect();
        assert_eq!(statements.iter().map(|(_, count)| count).sum::<u32>(), 100_000);
        assert_eq!(statements.len(), 2);
        assert!(statements.iter().all(|(sql, _)| sql.len() <= LONGEST_INSERT));
        let head = "INSERT INTO item VALUES ";
        let joined: Vec<&str> = statements
            .iter()
            .map(|(sql, _)| sql.strip_prefix(head).unwrap())
            .collect();
        assert_eq!(joined.join(","), rows().collect::<Vec<_>>().join(","));
        assert_eq!(batches("item", std::iter::empty()).next(), None);
    }
}
