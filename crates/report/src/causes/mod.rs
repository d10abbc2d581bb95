//! Causes of waits: their names, their presentation, and the rules that recognise them.

pub mod cause;
pub(crate) mod names_schema;
pub(crate) mod stack_rules;
pub(crate) mod wait_table;
pub(crate) mod wakeup;
