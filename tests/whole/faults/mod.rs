//! Faults and bad input, as a user meets them: each gives one clear error, or a run that is marked degraded with what
//! was measured, and leaves nothing behind. Needs root, MySQL (scripts/fetch-mysql) and MariaDB (apt-get install
//! mariadb-server): what is missing fails a test.

mod disk;
mod dying_server;
mod encryption;
mod file_system;
pub(crate) mod fixture;
mod login;
mod losses;
mod outputs;
mod own_sql;
mod placement;
mod private_server;
pub(crate) mod privilege;
mod report;
mod running_server;
mod signals;
mod tracing;
mod usage;
