//! Requests: parts of a response time, from the client to the server's commit.

pub(crate) mod join;
pub(crate) mod parts;
pub(crate) mod visit;
