//! logtrace-server with both real servers. Needs root, MySQL (scripts/fetch-mysql) and MariaDB (apt-get install
//! mariadb-server): what is missing fails a test.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod any_variable;
mod base;
mod companions;
mod full_disk;
mod hostile;
mod kept;
mod killed_run;
mod one_way;
mod pool_size;
mod private;
mod reconfigure;
mod running;
mod template;
mod two_servers;
mod volumes;
