//! Time on the CPU: a known function that takes it is found by name.

use logtrace_attribution::cause::Wait;
use logtrace_common::Detail;
use logtrace_report::document::StackTotal;

use super::nanoseconds;
use crate::common::{SERVERS, alone};
use crate::shapes::probe::Client;

/// Function of both servers (sql/item_func.cc).
const BENCHMARK: &str = "Item_func_benchmark::val_int";

fn sum_with(stacks: &[StackTotal], frame: &str) -> u64 {
    let has_frame = |stack: &&StackTotal| stack.frames.iter().any(|name| name.contains(frame));
    stacks.iter().filter(has_frame).map(|stack| stack.total_ns).sum()
}

#[test]
fn the_function_that_takes_the_cpu_is_named() {
    let _alone = alone();
    for server in SERVERS {
        let mut client = Client::new(server, &[]);
        let seen = client.traced_at(Detail::Full, |client| {
            client.execute("DO 1");
            client.execute("SELECT BENCHMARK(20000000, RAND())");
            client.execute("DO 1");
            client.execute("DO 1");
        });
        let stacks = &seen.breakdown.stacks.statement;
        let (on_cpu, named) = (sum_with(stacks, "on CPU"), sum_with(stacks, BENCHMARK));
        assert_eq!(
            on_cpu,
            nanoseconds(&seen, false, Wait::OnCpu),
            "{server}: {stacks:?}"
        );
        assert!(
            named > on_cpu * 9 / 10,
            "{server}: {named} of {on_cpu} ns, {stacks:?}"
        );
        client.stop();
    }
}
