pub(crate) mod live_change;
pub(crate) mod resize_wait;
pub(crate) mod set_global;
pub(crate) mod startup_only;
pub(crate) mod value_match;
pub(crate) mod variable;
