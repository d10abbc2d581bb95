//! Style sheet and content security policy of all pages.

mod policy;
mod style;

pub use policy::policy;
pub use style::STYLE;
