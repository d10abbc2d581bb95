//! Stacks of the kernel's and the server's functions: how to find a caller in the server, and the functions' names.

// What reads programs takes no part of them without looking whether it is there.
#[cfg_attr(
    not(test),
    deny(
        clippy::arithmetic_side_effects,
        clippy::indexing_slicing,
        clippy::string_slice
    )
)]
pub(crate) mod function_names;
pub(crate) mod kernel_frames;
pub(crate) mod kernel_symbols;
#[cfg_attr(
    not(test),
    deny(
        clippy::arithmetic_side_effects,
        clippy::indexing_slicing,
        clippy::string_slice
    )
)]
pub(crate) mod mapped_files;
pub(crate) mod server_code;
pub(crate) mod server_frames;
pub(crate) mod stack_names;
pub(crate) mod tables;
#[cfg_attr(not(test), deny(clippy::indexing_slicing, clippy::string_slice))]
pub(crate) mod unwind_rows;
