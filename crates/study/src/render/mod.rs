//! Renderers: a study as text, tables or data. They are pure functions; the caller writes the files.

mod blocks;
mod csv;
mod json;
mod markdown;
mod page;
mod stages;
mod terminal;
mod texts;

#[cfg(test)]
mod tests;

pub use blocks::Block;
pub use csv::{series_csv, stalls_csv, tables_csv};
pub use json::{json, json_schema};
pub use markdown::{draw_markdown, markdown};
pub use page::{Picture, html, pictures};
pub use terminal::{draw_terminal, terminal};
pub use texts::with_interval;
