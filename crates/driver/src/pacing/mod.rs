//! Sleeping until a request is due, and measuring how late this machine wakes up.

pub(crate) mod lateness;
pub(crate) mod pacer;
pub(crate) mod self_test;
pub(crate) mod self_test_table;
pub(crate) mod wakeup_lead;
