//! Pairs of directories that cannot be joined, and the messages about them.

use logtrace_common::Flavor;

use super::remote::join;
use crate::common::{Running, beside_others, run};
use logtrace_laboratory::foreign::Foreign;

const LOAD: &str =
    "--workload insert --tables 1 --rows 100 --rate 100/s --warmup 0s --duration 1s --no-trace";

#[test]
fn what_does_not_belong_together_is_refused() {
    let _turn = beside_others();
    let foreign = Foreign::start(Flavor::MariaDb);
    let trace = Running::start(&format!("trace --record --duration 1s --pid {}", foreign.pid())).ended();
    let address = foreign.address("root");
    let bare = run(&format!("{LOAD} --server {address}"));
    let after = run(&format!("{LOAD} --record --server {address}"));
    let other = run(&format!("{LOAD} --record --server mysql"));
    assert!(after.stdout().contains("requests.bin"), "{}", after.stdout());
    let cases = [
        (&trace, &bare, "is no run with a load"),
        (&bare, &trace, "has no requests.bin: repeat the run with --record"),
        (
            &after,
            &after,
            "has no records.bin: repeat the trace with --record",
        ),
        (
            &other,
            &trace,
            "different servers: flavor is mysql in the run and mariadb",
        ),
        (&after, &trace, "cannot match the clocks of the two machines"),
    ];
    for (run, trace, reason) in cases {
        let joined = join(run, trace);
        let stderr = joined.stderr();
        assert_eq!(joined.output.status.code(), Some(1), "{stderr}");
        assert!(stderr.contains(reason), "{reason}: {stderr}");
        assert!(joined.is_empty(), "a refused join leaves nothing");
    }
}
