//! Head, style sheet, content security policy and shared script of all pages.

mod enclosed;
mod head;
mod policy;
mod script;
mod style;

pub(super) use enclosed::enclosed;
pub use enclosed::{PageError, read_page};
pub use head::PageHead;
pub use script::DURATION;
