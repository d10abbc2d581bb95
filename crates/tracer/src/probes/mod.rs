//! The probes: which there are, where they go in a server's program, and attaching them.

pub(crate) mod attach_points;
pub(crate) mod best_uprobes;
pub(crate) mod call_offsets;
pub(crate) mod commit_calls;
pub(crate) mod detaching;
pub(crate) mod entry_offset;
pub(crate) mod exit_offsets;
pub(crate) mod links;
#[cfg_attr(
    not(test),
    deny(
        clippy::arithmetic_side_effects,
        clippy::indexing_slicing,
        clippy::string_slice
    )
)]
pub(crate) mod most_places;
pub(crate) mod program;
pub(crate) mod table;
