//! A redo log that is too small: the wait for space in it has its name, and there is none where it is large enough.

use logtrace_attribution::cause::Wait;
use logtrace_common::Detail;

use super::nanoseconds;
use crate::common::beside_others;
use crate::shapes::probe::Client;

/// Writes 80 MB to a table of a server with this setting. Returns how long the client waited for space in the redo log, and
/// how long all of it took, in nanoseconds.
fn waited_for_space(setting: &str) -> (u64, u64) {
    let mut client = Client::new("mysql", &[setting]);
    client.execute("CREATE TABLE large (id INT PRIMARY KEY AUTO_INCREMENT, v VARCHAR(8000))");
    client.execute("INSERT INTO large (v) VALUES ('')");
    for _ in 0..9 {
        client.execute("INSERT INTO large (v) SELECT '' FROM large");
    }
    let seen = client.traced_at(Detail::Full, |client| {
        client.execute("DO 1");
        for _ in 0..20 {
            client.execute("INSERT INTO large (v) SELECT REPEAT('x', 7000) FROM large WHERE id <= 600");
        }
        client.execute("DO 1");
        client.execute("DO 1");
    });
    client.stop();
    (nanoseconds(&seen, false, Wait::RedoSpace), seen.statements_ns)
}

/// MariaDB's sessions wait there for the page cleaner, and are charged what that does.
#[test]
fn space_in_a_redo_log_that_is_too_small() {
    let _turn = beside_others();
    let (small_ns, all_ns) = waited_for_space("innodb_redo_log_capacity=8M");
    assert!(small_ns > all_ns / 10, "{small_ns} of {all_ns} ns");
    let (large_ns, _) = waited_for_space("innodb_redo_log_capacity=1G");
    assert_eq!(large_ns, 0);
}
