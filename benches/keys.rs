//! Keys a second: drawing the row that a request touches.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use logtrace_common::random::Stream;
use logtrace_driver::Keys;

mod settings;

const DRAWS: u64 = 10_000;
const ROWS: u64 = 25_000;

fn draws(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("keys");
    group.throughput(Throughput::Elements(DRAWS));
    for keys in Keys::all() {
        group.bench_function(BenchmarkId::from_parameter(keys), |bencher| {
            let mut rng = Stream::Window.rng(1);
            bencher.iter(|| {
                for _ in 0..DRAWS {
                    black_box(keys.draw(&mut rng, black_box(ROWS)));
                }
            });
        });
    }
    group.finish();
}

criterion_group! { name = benches; config = settings::short(); targets = draws }
criterion_main!(benches);
