//! Pictures of a run over time, on one axis: the heat map of commits by duration, and what their time went to.

mod axis;
mod heat_map;
mod percentiles;
mod pictures;
mod script;
mod stacked;

pub(super) use self::script::SCRIPT;
pub(super) use self::stacked::Area;
pub(super) use pictures::{Pictures, pictures};
