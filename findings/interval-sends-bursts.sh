#!/usr/bin/env bash
# tokio's interval of 200 us ticks five times at once each millisecond.
#
# Expected: an open loop of 5,000 requests a second, paced by tokio::time::interval(200 us), sends one each 200 us.
# What happens: tokio's timers have whole milliseconds. The interval catches up by ticking at once as often as it is late, so
# the requests leave in bursts of five, at the right mean rate, and nothing reports it. thread::sleep() until the same times keeps
# the distance.
# Version: tokio 1.54.1.
# Why it matters: requests that leave together are committed together. A group of five shares one sync, so a load generator in
# Rust measures a fifth of the syncs of a steady load at the same rate, and a longer queue.
# shellcheck disable=SC2119 source=findings/common
. "$(dirname "$0")/common"

mkdir -p "$work/ticks/src"
cat >"$work/ticks/Cargo.toml" <<'TOML'
[package]
name = "ticks"
edition = "2021"
[dependencies]
tokio = { version = "=1.54.1", features = ["rt", "time"] }
[workspace]
TOML
cat >"$work/ticks/src/main.rs" <<'RUST'
use std::time::{Duration, Instant};

const PERIOD: Duration = Duration::from_micros(200);
const TICKS: usize = 5_000;

/// Prints the share of ticks that follow the one before in less than half a period, and the rate.
fn print(name: &str, ticks: &[Instant]) {
    let close = ticks.windows(2).filter(|pair| pair[1] - pair[0] < PERIOD / 2).count();
    let rate = (TICKS - 1) as f64 / (ticks[TICKS - 1] - ticks[0]).as_secs_f64();
    println!("{name} {} {rate:.0}", close * 100 / TICKS);
}

fn main() {
    let start = Instant::now();
    let mut slept = Vec::with_capacity(TICKS);
    for tick in 0..TICKS as u32 {
        std::thread::sleep((start + PERIOD * tick).saturating_duration_since(Instant::now()));
        slept.push(Instant::now());
    }
    print("thread::sleep", &slept);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let ticked = runtime.block_on(async {
        let mut interval = tokio::time::interval(PERIOD);
        let mut ticked = Vec::with_capacity(TICKS);
        for _ in 0..TICKS {
            interval.tick().await;
            ticked.push(Instant::now());
        }
        ticked
    });
    print("tokio::interval", &ticked);
}
RUST
CARGO_TARGET_DIR=$work/target cargo build --quiet --release --manifest-path "$work/ticks/Cargo.toml" || exit 2
seen=$("$work/target/release/ticks")
printf 'tokio 1.54.1, period 200 us: percentage of ticks less than 100 us after the last, ticks a second\n%s\n' "$seen"
read -r _ slept _ < <(head -n 1 <<<"$seen")
read -r _ ticked rate < <(tail -n 1 <<<"$seen")
[ "$ticked" -ge 70 ] || changed "only $ticked % of the ticks come at once"
[ "$slept" -lt 30 ] || changed "this machine is too busy to tell"
if [ "$rate" -lt 4500 ] || [ "$rate" -gt 5500 ]; then changed "the rate is $rate"; fi
