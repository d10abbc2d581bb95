pub(crate) mod change;
pub(crate) mod global_session;
pub(crate) mod global_value;
pub(crate) mod live;
pub(crate) mod set_global;
pub(crate) mod value_match;
pub(crate) mod variable;
