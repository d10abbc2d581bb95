//! Causes of waits: their names, their presentation, and the rules that recognise them.

mod advice;
pub(crate) mod cause;
pub(crate) mod cause_index;
pub(crate) mod cause_time;
mod color;
pub(crate) mod cpu_wait;
pub mod names_schema;
pub mod rgb;
pub(crate) mod server_rules;
pub(crate) mod stack_rules;
pub(crate) mod wait;
pub(crate) mod wakeup;
