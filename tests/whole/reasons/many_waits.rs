//! A statement that waits thousands of times is explained from its beginning.

use logtrace_attribution::cause::Wait;
use logtrace_common::Detail;

use super::nanoseconds;
use crate::common::{SERVERS, beside_others};
use crate::shapes::probe::Client;

/// Sleeps of the statement, of 100 us or more.
const SLEEPS: u32 = 3_000;

#[test]
fn a_statement_of_thousands_of_waits_is_explained() {
    let _turn = beside_others();
    for server in SERVERS {
        let mut client = Client::new(server, &[]);
        client.execute(
            "CREATE PROCEDURE sleeps(n INT) BEGIN WHILE n > 0 DO DO SLEEP(0.0001); SET n = n - 1; END WHILE; END",
        );
        let seen = client.traced_at(Detail::Full, |client| {
            client.execute("DO 1");
            client.execute(&format!("CALL sleeps({SLEEPS})"));
            client.execute("DO 1");
            client.execute("DO 1");
        });
        let statements = seen.breakdown.statements.as_ref().unwrap();
        let asleep = nanoseconds(&seen, false, Wait::Timer);
        assert!(
            asleep > u64::from(SLEEPS) * 100_000,
            "{server}: asleep for {asleep} of {} ns, {:?}",
            statements.total,
            statements.causes
        );
        let unexplained = nanoseconds(&seen, false, Wait::Unexplained);
        assert!(
            unexplained * 100 < statements.total,
            "{server}: {unexplained} of {} ns",
            statements.total
        );
        client.stop();
    }
}
