//! Due times a second: what the driver computes for each request before it is sent.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use logtrace_driver::Arrivals;

mod settings;

const REQUESTS: usize = 10_000;
const RATE_PER_S: f64 = 1_000.0;

fn due_times(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("arrivals");
    group.throughput(Throughput::Elements(REQUESTS as u64));
    for arrivals in Arrivals::ALL {
        group.bench_function(BenchmarkId::from_parameter(arrivals), |bencher| {
            bencher.iter(|| {
                let offsets = arrivals.offsets_ns(black_box(RATE_PER_S), black_box(1));
                offsets.take(REQUESTS).fold(0, |_, offset| black_box(offset))
            });
        });
    }
    group.finish();
}

criterion_group! { name = benches; config = settings::short(); targets = due_times }
criterion_main!(benches);
