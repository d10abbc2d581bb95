//! Head, list of contents, style sheet, content security policy and shared script of all pages.

mod contents;
mod enclosed;
mod head;
mod options;
mod policy;
mod script;
mod style;

pub use contents::with_contents;
pub(super) use enclosed::enclosed;
pub use enclosed::{PageError, read_page};
pub use head::PageHead;
pub(super) use options::with_options;
pub use script::DURATION;
