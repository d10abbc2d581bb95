//! Answer of a run in a few sentences: what its commits waited for most, and what the slowest one waited for; first of all what
//! its statements waited for before their commits, if that was more.

mod rotation;
mod short;
mod slowest;
mod whole;
mod words;

pub(crate) use self::short::{ShortAnswer, short_answer};
pub(crate) use self::slowest::stall_of_slowest;
pub(crate) use self::whole::answer;
pub use self::whole::held_up;
