//! Elements of a report of several runs, and their drawing: for a person at a terminal, and as Markdown.

mod element;
mod markdown;
mod terminal;

pub use element::Element;
pub use markdown::draw_markdown;
pub use terminal::draw_terminal;
