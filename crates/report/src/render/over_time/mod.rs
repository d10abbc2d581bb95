//! Pictures of a run over time: heat maps of commits and of response times, rates, the backlog, and what the time of commits
//! went to.
//!
//! They are a PNG and polygons, drawn here, so that they are seen without a script and in print. The script only adds up
//! what is selected. That takes fewer lines than the interface of a library for charts, which would bring requests, too.

mod axis;
mod chart_values;
mod fit;
mod heat_map;
mod percentiles;
mod pictures;
mod pointed;
mod rates;
mod responses;
mod script;
mod stacked;
mod under_way;
mod value_ticks;

pub(super) use self::fit::coarser;
pub(super) use self::pointed::pointed_values;
pub(super) use self::script::SCRIPT;
pub(super) use self::stacked::Area;
pub(super) use pictures::{Pictures, pictures};
pub(super) use responses::{Responses, responses};
