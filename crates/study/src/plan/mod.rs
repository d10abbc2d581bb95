//! Plans: read from TOML, checked as a whole, and expanded to cells.

pub(crate) mod axis;
pub(crate) mod builtin;
pub(crate) mod cell_builder;
pub(crate) mod level_filter;
pub(crate) mod matrix;
pub(crate) mod option_layers;
pub(crate) mod options;
pub(crate) mod plan_file;
pub(crate) mod scale;
pub(crate) mod short_turns;
pub(crate) mod study_plan;
pub(crate) mod syntax;
pub(crate) mod table_spec;
pub(crate) mod workload;

#[cfg(test)]
mod tests;
