//! Servers in containers, and logtrace in one.

mod container;
mod own_container;
mod packaged;
mod server_container;
