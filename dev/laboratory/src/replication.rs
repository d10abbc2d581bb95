//! Replication between two servers.

use std::net::SocketAddr;

use logtrace_common::Flavor;

use crate::foreign::Foreign;

/// Makes `replica` a replica of `source`, which listens at `address`, from the end of the source's binlog on. Starts no thread.
pub fn follow(flavor: Flavor, source: &Foreign, address: SocketAddr, replica: &Foreign) {
    source.tell("CREATE USER replica@'%' IDENTIFIED BY 'acknowledge'");
    source.tell("GRANT REPLICATION SLAVE ON *.* TO replica@'%'");
    let (host, port) = (address.ip(), address.port());
    let statement = match flavor {
        Flavor::MySql => {
            let (file, position) = position(source, "SHOW BINARY LOG STATUS");
            format!(
                "CHANGE REPLICATION SOURCE TO SOURCE_HOST = '{host}', SOURCE_PORT = {port}, SOURCE_USER = 'replica', \
                 SOURCE_PASSWORD = 'acknowledge', SOURCE_LOG_FILE = '{file}', SOURCE_LOG_POS = {position}, \
                 GET_SOURCE_PUBLIC_KEY = 1"
            )
        }
        Flavor::MariaDb => {
            let (file, position) = position(source, "SHOW MASTER STATUS");
            format!(
                "CHANGE MASTER TO MASTER_HOST = '{host}', MASTER_PORT = {port}, MASTER_USER = 'replica', \
                 MASTER_PASSWORD = 'acknowledge', MASTER_LOG_FILE = '{file}', MASTER_LOG_POS = {position}"
            )
        }
    };
    replica.tell(&statement);
}

/// Returns the end of the source's binlog. The answer has more columns, which differ.
fn position(source: &Foreign, statement: &str) -> (String, u64) {
    let mut row: mysql_async::Row = source.ask(statement);
    (row.take(0).unwrap(), row.take(1).unwrap())
}
