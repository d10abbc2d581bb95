//! Rows that one connection loads at a time.

/// What one connection loads at a time.
pub(crate) struct LoadBatch {
    /// What it is, for messages.
    pub(crate) name: String,
    /// The statement that comes first, if there is one.
    pub(crate) before: Option<String>,
    /// The statements that insert rows, each with their number.
    pub(crate) inserts: Box<dyn Iterator<Item = (String, u32)>>,
    /// The statement that comes last, if there is one.
    pub(crate) after: Option<String>,
}

impl LoadBatch {
    /// Rows of tables that are there.
    pub(crate) fn rows(name: String, inserts: impl Iterator<Item = (String, u32)> + 'static) -> Self {
        Self {
            name,
            before: None,
            inserts: Box::new(inserts),
            after: None,
        }
    }

    /// With this statement before its rows.
    pub(crate) fn beginning_with(self, sql: &str) -> Self {
        Self {
            before: Some(sql.to_owned()),
            ..self
        }
    }
}
