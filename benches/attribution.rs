//! What it takes to explain commits, from decoded records to sums, in records and in commits a second.

use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use logtrace_attribution::analysis::{Analysis, AnalysisConfig};
use logtrace_common::TimeRange;
use logtrace_events::Record;
use logtrace_testkit::synthetic::{SERVER_TGID, group_commits, logs, stated_group_commits};

mod settings;

/// Sizes of a group commit: alone, the usual number of connections, and a crowd.
const CONNECTIONS: [u32; 3] = [1, 8, 64];
const COMMITS: u32 = 6_400;

fn explain(records: Vec<Record>) -> Analysis {
    let mut analysis = Analysis::new(AnalysisConfig {
        server_tgid: SERVER_TGID,
        logs: logs(),
        window: TimeRange::new(0, u64::MAX),
    });
    for record in records {
        analysis.push(record);
    }
    analysis
}

fn attribution(criterion: &mut Criterion) {
    for connections in CONNECTIONS {
        let groups = COMMITS / connections;
        let name = format!("{connections} connections");
        measure(criterion, &name, &group_commits(connections, groups));
        let name = format!("{name}, groups stated");
        measure(criterion, &name, &stated_group_commits(connections, groups));
    }
}

fn measure(criterion: &mut Criterion, name: &str, records: &[Record]) {
    let commits = explain(records.to_vec()).commits_so_far();
    assert_eq!(commits, u64::from(COMMITS), "every commit is explained");
    let mut group = criterion.benchmark_group("attribution");
    for (unit, elements) in [("records", records.len() as u64), ("commits", commits)] {
        group.throughput(Throughput::Elements(elements));
        let id = BenchmarkId::new(unit, name);
        group.bench_function(id, |bencher| {
            bencher.iter_batched(|| records.to_vec(), explain, BatchSize::LargeInput);
        });
    }
    group.finish();
}

criterion_group! { name = benches; config = settings::short(); targets = attribution }
criterion_main!(benches);
