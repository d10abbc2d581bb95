//! Style sheet, content security policy and shared script of all pages.

mod policy;
mod script;
mod style;

pub use policy::policy;
pub use script::DURATION;
pub use style::STYLE;
