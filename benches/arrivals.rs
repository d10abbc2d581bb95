//! Due times a second: what the driver computes for each request before it is sent.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use logtrace_driver::{Arrivals, Schedule, ScheduleStep};

mod settings;

const REQUESTS: usize = 10_000;
const RATE_PER_S: f64 = 1_000.0;
/// Of a ramp in which somewhat more requests are due than are taken.
const LENGTH: Duration = Duration::from_secs(11);

fn due_times(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("arrivals");
    group.throughput(Throughput::Elements(REQUESTS as u64));
    for arrivals in [Arrivals::Uniform, Arrivals::Poisson] {
        group.bench_function(BenchmarkId::from_parameter(arrivals), |bencher| {
            bencher.iter(|| {
                let offsets = arrivals.offsets_ns(black_box(RATE_PER_S), black_box(1));
                offsets.take(REQUESTS).fold(0, |_, offset| black_box(offset))
            });
        });
    }
    for arrivals in [Arrivals::Uniform, Arrivals::Poisson] {
        let ramp = ScheduleStep::new(LENGTH, 0.0, 2.0 * RATE_PER_S)
            .and_then(|ramp| Schedule::new("ramp".into(), vec![ramp]));
        let Ok(ramp) = ramp else {
            continue;
        };
        group.bench_function(BenchmarkId::new("ramp", arrivals), |bencher| {
            bencher.iter(|| {
                let offsets = arrivals.scheduled_ns(black_box(&ramp), black_box(1));
                offsets.take(REQUESTS).fold(0, |_, offset| black_box(offset))
            });
        });
    }
    group.finish();
}

criterion_group! { name = benches; config = settings::short(); targets = due_times }
criterion_main!(benches);
