//! Style sheet, content security policy and shared script of all pages.

mod enclosed;
mod policy;
mod script;
mod style;

pub(super) use enclosed::enclosed;
pub use enclosed::{PageError, read_page};
pub use policy::policy;
pub use script::DURATION;
pub use style::STYLE;
