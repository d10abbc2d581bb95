//! One kind of request of a file.

use super::drawn::Drawn;
use super::generator::Generator;
use super::statement::Statement;
use crate::draw::Draw;

/// A kind of request, checked.
#[derive(Clone, Debug)]
pub(super) struct Kind {
    /// Its name.
    pub(super) name: String,
    /// Whether BEGIN and COMMIT are around its statements.
    pub(super) transaction: bool,
    /// What it sends, in this order.
    pub(super) statements: Vec<Statement>,
    /// How its parameters are drawn, in the order of their names.
    pub(super) generators: Vec<Generator>,
}

impl Kind {
    /// Draws each parameter once.
    pub(super) fn draw(&self, draw: &mut Draw) -> Vec<Drawn> {
        let number = draw.number();
        let generators = self.generators.iter();
        generators
            .map(|generator| generator.draw(draw.rng(), number))
            .collect()
    }
}
