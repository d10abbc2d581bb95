//! Rules that the sources of logtrace follow: no import circles, one name for one type, documentation that opens with a
//! verb or a noun.
//!
//! The tests of this crate read all sources of the workspace and fail with a list of what breaks a rule. Its program prints
//! sizes that a reviewer should look at; they are no rule.

mod circles;
mod directions;
mod docs;
mod documents;
mod imports;
mod modules;
mod opened;
mod opened_where;
mod packages;
mod paths;
mod process_paths;
mod sizes;
mod type_names;

pub use circles::{Circle, circles};
pub use directions::{DIRECTIONS, UPPER_MODULES};
pub use docs::{DocComment, doc_comments};
pub use documents::{documents, missing_names};
pub use imports::{Import, imported_crates, imports};
pub use modules::{Module, modules};
pub use opened::openers;
pub use opened_where::MAY_OPEN;
pub use packages::{Package, packages, rust_files};
pub use process_paths::opened_processes;
pub use sizes::oversized;
pub use type_names::{MIRRORS, SHARED_NAMES, type_names};
