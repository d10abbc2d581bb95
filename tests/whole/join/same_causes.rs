//! Causes of a joined run against those of runs that were traced where they ran.

use std::collections::BTreeMap;

use logtrace_common::Flavor;
use logtrace_report::document::Document;

use super::on_own_thread;
use super::remote::Remote;
use crate::common::{Running, alone, share};

const LOAD: &str = "--workload update_key --tables 2 --rows 5000 --rate 200/s --connections 8 --warmup 1s --duration 15s \
                    --seed 7";

/// Largest difference of a share that is noise, beside three times that of two local runs.
const NOISE: f64 = 0.05;

#[test]
#[ignore = "long: three runs of 15 s on each server"]
fn a_joined_run_has_the_causes_of_a_local_one() {
    let _turn = alone();
    for flavor in [Flavor::MySql, Flavor::MariaDb] {
        on_own_thread(|| {
            let remote = Remote::start(flavor);
            let address = remote.server.address("root");
            let local = || {
                Running::start(&format!("run --server {address} {LOAD}"))
                    .ended()
                    .document()
            };
            let first = local();
            let joined = remote.measure(LOAD).join().document();
            let second = local();
            assert_alike(&joined, [&first, &second]);
        });
    }
}

fn assert_alike(joined: &Document, local: [&Document; 2]) {
    let shares = |document: &Document| {
        let rows = document.causes.iter();
        let names = rows.map(|row| format!("{:?} {:?}", row.cause.io, row.cause.wait));
        let of = |name: &String| {
            share(document, |row| {
                format!("{:?} {:?}", row.cause.io, row.cause.wait) == *name
            })
        };
        names
            .map(|name| (name.clone(), of(&name)))
            .collect::<BTreeMap<_, _>>()
    };
    let joined_shares = shares(joined);
    let [first, second] = local.map(shares);
    let names = joined_shares.keys().chain(first.keys()).chain(second.keys());
    for name in names.collect::<std::collections::BTreeSet<_>>() {
        let of = |shares: &BTreeMap<String, f64>| shares.get(name).copied().unwrap_or(0.0);
        let (joined, first, second) = (of(&joined_shares), of(&first), of(&second));
        let between = f64::midpoint(first, second);
        let noise = NOISE.max(3.0 * (first - second).abs());
        println!("{name}: joined {joined:.3}, local {first:.3} and {second:.3}");
        assert!((joined - between).abs() <= noise, "{name}");
    }
    let mean = |document: &Document| {
        let commits = document.commits.as_ref().unwrap();
        commits.total / commits.count
    };
    let parts = |document: &Document| document.response.unwrap();
    println!(
        "joined: mean commit {} ns, {:?} {:?}; local: {} ns, {:?}",
        mean(joined),
        joined.join,
        parts(joined),
        mean(local[0]),
        parts(local[0])
    );
}
