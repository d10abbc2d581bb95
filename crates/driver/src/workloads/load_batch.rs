//! Batches of rows of the load.

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
