//! Element of a report.

/// Element of a report.
pub enum Element {
    /// Title of the whole report.
    Title(String),
    /// Answer of the whole report: what it is about in a few words, for headings, and a sentence that says it too.
    Answer(String, String),
    /// Heading of a table, of the stalls or of a published table.
    Heading(String),
    /// Levels of a grid.
    Subheading(String),
    /// Paragraph.
    Text(String),
    /// Header and rows of a table: words at the left, numbers at the right. An entry may have two lines.
    Table(Vec<String>, Vec<Vec<String>>),
    /// Notes on the table above.
    Notes(Vec<String>),
    /// Causes of the entries of the table above, and the axes of these entries.
    Causes(String, Vec<(String, String)>),
    /// Remark that an earlier table has the same causes.
    SameCauses,
    /// Stalls, one line each.
    Stalls(Vec<String>),
    /// Throughput of the measurements with these stalls.
    Curves(Vec<String>),
}
