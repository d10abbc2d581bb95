//! Pictures of a run over time: heat maps of commits and of response times, and what the time of commits went to.

mod axis;
mod heat_map;
mod percentiles;
mod pictures;
mod responses;
mod script;
mod stacked;

pub(super) use self::script::SCRIPT;
pub(super) use self::stacked::Area;
pub(super) use pictures::{Pictures, pictures};
pub(super) use responses::{Responses, responses};
