//! Renderers: a study as text, tables or data. They are pure functions; the caller writes the files.

mod answer;
mod csv;
mod elements;
mod json;
mod page;
#[cfg(test)]
mod schema;
mod stages;
mod texts;

#[cfg(test)]
mod tests;

pub use csv::{series_csv, stalls_csv, tables_csv};
pub use elements::{markdown, terminal};
pub use json::json;
pub use page::{Picture, html, pictures};
