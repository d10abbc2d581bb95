//! What all pages share: style sheet and content security policy.

mod policy;
mod style;

pub use policy::policy;
pub use style::STYLE;
