//! How large a server's tables are, and a buffer pool that is so many times smaller.

use mysql_async::Value;
use mysql_async::prelude::Queryable;

use crate::connection::connect::{ConnectError, Connection};
use crate::settings::variable::Setting;
use logtrace_common::Flavor;

/// A pool's size is a multiple of this, which both servers take as it is. MySQL's pool is made of chunks, of 128M by
/// default, and with chunks of 1M it comes out smaller than asked for (286M: 285M, 1000M: 997M) and takes seconds to
/// grow; MariaDB has no chunks since 10.11.12.
const CHUNK: u64 = 8 << 20;

/// Bytes of the files of a database's tables (InnoDB, a file a table, as both servers do by default), with what the
/// server has reserved in them.
pub(crate) async fn table_bytes(
    connection: &Connection,
    flavor: Flavor,
    database: &str,
) -> Result<u64, ConnectError> {
    let spaces = match flavor {
        Flavor::MySql => "INNODB_TABLESPACES",
        Flavor::MariaDb => "INNODB_SYS_TABLESPACES",
    };
    let of_database = Value::from(format!("{database}/")).as_sql(false);
    let statement = format!(
        "SELECT CAST(COALESCE(SUM(FILE_SIZE), 0) AS UNSIGNED) FROM information_schema.{spaces} \
         WHERE LEFT(NAME, CHAR_LENGTH({of_database})) = {of_database}"
    );
    let mut conn = connection.connect().await?;
    let bytes: Option<u64> = conn
        .query_first(statement)
        .await
        .map_err(|source| connection.explain(source))?;
    connection.leave(conn).await?;
    Ok(bytes.unwrap_or_default())
}

/// The settings of a buffer pool as near to `bytes` as it can be had at the start of a server, and changed to while it
/// runs.
pub fn buffer_pool(flavor: Flavor, bytes: u64) -> Vec<Setting> {
    let chunks = ((bytes + CHUNK / 2) / CHUNK).max(1);
    let size = Setting::new("innodb_buffer_pool_size", &(chunks * CHUNK).to_string());
    let chunk = Setting::new("innodb_buffer_pool_chunk_size", &CHUNK.to_string());
    match flavor {
        Flavor::MySql => vec![chunk, size],
        Flavor::MariaDb => vec![size],
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_pool_is_the_nearest_that_there_is(bytes in 0_u64..1 << 50) {
            for flavor in [Flavor::MySql, Flavor::MariaDb] {
                let settings = buffer_pool(flavor, bytes);
                let size: u64 = settings.last().unwrap().value().parse().unwrap();
                prop_assert_eq!(size % CHUNK, 0);
                prop_assert!(size.abs_diff(bytes) <= CHUNK / 2 || size == CHUNK);
            }
        }
    }
}
