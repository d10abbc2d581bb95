//! Requests a second that the recorder takes, and what the end of each second costs the driver's thread.

use std::hint::black_box;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use logtrace_common::random::{Rng, Stream};
use logtrace_driver::Recorder;
use logtrace_events::{Outcome, Request};

mod settings;

const REQUESTS: u64 = 10_000;
/// Lags of up to 65 us, services of up to 4 ms: where the histograms of a usual run are hit.
const LAG_BITS: u32 = 16;
const SERVICE_BITS: u32 = 22;

fn requests() -> Vec<Request> {
    let mut rng = Stream::Window.rng(1);
    let mut up_to_bits = |bits: u32| rng.next_u64() >> (u64::BITS - bits);
    (0..REQUESTS)
        .map(|number| {
            let due_ns = number * 1_000_000;
            let sent_ns = due_ns + up_to_bits(LAG_BITS);
            Request {
                due_ns,
                connection_wait_ns: 0,
                sent_ns,
                attempt_ns: sent_ns,
                done_ns: sent_ns + up_to_bits(SERVICE_BITS),
                outcome: Outcome::Done,
                retries: 0,
                thread: None,
            }
        })
        .collect()
}

fn recording(criterion: &mut Criterion) {
    let requests = requests();
    let mut recorder = Recorder::new();
    let mut group = criterion.benchmark_group("recorder");
    group.throughput(Throughput::Elements(REQUESTS));
    group.bench_function("record", |bencher| {
        bencher.iter(|| {
            for request in &requests {
                recorder.record(black_box(request));
            }
        });
    });
    group.throughput(Throughput::Elements(1));
    group.bench_function("next_interval", |bencher| {
        let mut second = Recorder::new();
        for request in &requests {
            second.record(request);
        }
        bencher.iter_batched_ref(
            || second.clone(),
            |second| black_box(second.next_interval()),
            BatchSize::SmallInput,
        );
    });
    group.finish();
}

criterion_group! { name = benches; config = settings::short(); targets = recording }
criterion_main!(benches);
