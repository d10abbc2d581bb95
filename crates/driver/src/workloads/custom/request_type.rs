//! RequestType of request of a file.

use crate::workloads::custom::drawn::Drawn;
use crate::workloads::custom::generator::Generator;
use crate::workloads::custom::sql_statement::SqlStatement;
use crate::workloads::request_values::Draw;

/// RequestType of request.
#[derive(Clone, Debug)]
pub(crate) struct RequestType {
    /// Name in reports.
    pub(crate) name: String,
    /// Whether BEGIN and COMMIT are around the statements.
    pub(crate) transaction: bool,
    /// Statements in their order.
    pub(crate) statements: Vec<SqlStatement>,
    /// Generators of the parameters, in the order of their names.
    pub(crate) generators: Vec<Generator>,
}

impl RequestType {
    /// Draws each parameter once.
    pub(crate) fn draw(&self, draw: &mut Draw) -> Vec<Drawn> {
        let number = draw.number();
        let generators = self.generators.iter();
        generators
            .map(|generator| generator.draw(draw.rng(), number))
            .collect()
    }
}
