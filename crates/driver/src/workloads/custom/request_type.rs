//! One kind of request of a file.

use crate::workloads::custom::drawn::Drawn;
use crate::workloads::custom::generator::Generator;
use crate::workloads::custom::sql_statement::Statement;
use crate::workloads::request_values::Draw;

/// A kind of request, checked.
#[derive(Clone, Debug)]
pub(crate) struct Kind {
    /// Its name.
    pub(crate) name: String,
    /// Whether BEGIN and COMMIT are around its statements.
    pub(crate) transaction: bool,
    /// What it sends, in this order.
    pub(crate) statements: Vec<Statement>,
    /// How its parameters are drawn, in the order of their names.
    pub(crate) generators: Vec<Generator>,
}

impl Kind {
    /// Draws each parameter once.
    pub(crate) fn draw(&self, draw: &mut Draw) -> Vec<Drawn> {
        let number = draw.number();
        let generators = self.generators.iter();
        generators
            .map(|generator| generator.draw(draw.rng(), number))
            .collect()
    }
}
