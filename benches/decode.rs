//! Records a second between bytes and meaning.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use logtrace_events::{decode, encode, encoded};
use logtrace_testkit::synthetic::group_commits;

mod settings;

const CONNECTIONS: u32 = 8;
const GROUPS: u32 = 200;

fn codec(criterion: &mut Criterion) {
    let records = group_commits(CONNECTIONS, GROUPS);
    let all_bytes: Vec<Vec<u8>> = records.iter().map(encoded).collect();
    let mut group = criterion.benchmark_group("codec");
    group.throughput(Throughput::Elements(records.len() as u64));
    group.bench_function("decode", |bencher| {
        bencher.iter(|| {
            for bytes in &all_bytes {
                let _ = black_box(decode(black_box(bytes)));
            }
        });
    });
    group.bench_function("encode", |bencher| {
        let mut out = Vec::new();
        bencher.iter(|| {
            out.clear();
            for record in &records {
                encode(black_box(record), &mut out);
            }
            black_box(out.len())
        });
    });
    group.finish();
}

criterion_group! { name = benches; config = settings::short(); targets = codec }
criterion_main!(benches);
