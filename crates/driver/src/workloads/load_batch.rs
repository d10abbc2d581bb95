//! Batches of rows of the load.

/// Rows that one connection loads at a time.
pub(crate) struct LoadBatch {
    /// Name of the batch for messages.
    pub(crate) name: String,
    /// Statement before the rows.
    pub(crate) before: Option<String>,
    /// Statements that insert rows, each with its number of rows.
    pub(crate) inserts: Box<dyn Iterator<Item = (String, u32)>>,
    /// Statement after the rows.
    pub(crate) after: Option<String>,
}

impl LoadBatch {
    /// Returns a batch of rows for existing tables.
    pub(crate) fn rows(name: String, inserts: impl Iterator<Item = (String, u32)> + 'static) -> Self {
        Self {
            name,
            before: None,
            inserts: Box::new(inserts),
            after: None,
        }
    }

    /// Returns the batch with this statement before its rows.
    pub(crate) fn beginning_with(self, sql: &str) -> Self {
        Self {
            before: Some(sql.to_owned()),
            ..self
        }
    }
}
