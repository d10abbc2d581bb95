//! Replication between two servers of this machine.

use logtrace_common::Flavor;

use crate::foreign::Foreign;

/// Makes `replica` a replica of `source`, which listens at `port`, from the end of the source's binlog on. Starts no thread.
pub fn follow(flavor: Flavor, source: &Foreign, port: u16, replica: &Foreign) {
    source.tell("CREATE USER replica@'127.0.0.1' IDENTIFIED BY 'acknowledge'");
    source.tell("GRANT REPLICATION SLAVE ON *.* TO replica@'127.0.0.1'");
    let statement = match flavor {
        Flavor::MySql => {
            let (file, position) = position(source, "SHOW BINARY LOG STATUS");
            format!(
                "CHANGE REPLICATION SOURCE TO SOURCE_HOST = '127.0.0.1', SOURCE_PORT = {port}, SOURCE_USER = 'replica', \
                 SOURCE_PASSWORD = 'acknowledge', SOURCE_LOG_FILE = '{file}', SOURCE_LOG_POS = {position}, \
                 GET_SOURCE_PUBLIC_KEY = 1"
            )
        }
        Flavor::MariaDb => {
            let (file, position) = position(source, "SHOW MASTER STATUS");
            format!(
                "CHANGE MASTER TO MASTER_HOST = '127.0.0.1', MASTER_PORT = {port}, MASTER_USER = 'replica', \
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
