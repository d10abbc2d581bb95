//! Whether commits are charged to what they waited for: drawn cases, random schedules, damaged streams.

mod bounded;
mod client_to_cause;
mod crowd;
pub(crate) mod damage;
mod definition;
mod drawing;
mod drawn;
mod drawn_stacks;
mod exemplars;
mod gaps;
mod held;
mod over_time;
mod remembered;
mod sampled;
mod schedule;
mod stated;
