//! Causes: whose work and what wait a piece of time is charged to, and the rules that recognise a wait.

pub mod cause;
pub(crate) mod stack_rules;
pub(crate) mod wakeup;
