//! run.json says how a run was made, and null means that something was not traced.

use logtrace_common::{Detail, Sampling};
use logtrace_report::document::Document;
use logtrace_testkit::{beside_others, one_or_all};
use strum::IntoEnumIterator;

use crate::common::{SERVERS, run, workload};

/// Runs a short load with a deadline and a spinning pacer.
fn document_of(server: &str, arguments: &str) -> Document {
    run(&format!(
        "--server {server} --rate 100/s --duration 1s --warmup 300ms --tables 1 --rows 500 --deadline 10s --spin \
         {arguments}"
    ))
    .document()
}

/// Checks the fields that every document has, traced or not.
fn assert_circumstances(document: &Document) {
    assert_eq!(document.logtrace, env!("CARGO_PKG_VERSION"));
    let host = document.host.as_ref().unwrap();
    assert!(!host.kernel.is_empty() && !host.cpu_model.is_empty());
    assert!(host.cpus > 0 && host.memory_bytes > 0);
    assert!(!host.disks.is_empty());
    for disk in &host.disks {
        assert!(!disk.scheduler.is_empty() && disk.hardware_queues > 0, "{disk:?}");
        assert!(
            ["write back", "write through", "unknown"].contains(&disk.write_cache.as_str()),
            "{disk:?}"
        );
    }
    let workload = workload(document);
    assert_eq!((workload.deadline, workload.spin), (Some(10_000_000_000), true));
}

#[test]
fn each_part_is_there_where_it_was_traced_and_null_elsewhere() {
    let _turn = beside_others();
    for server in SERVERS {
        for detail in Detail::iter() {
            let document = document_of(server, &format!("--workload update_key --detail {detail}"));
            assert_circumstances(&document);
            let tracing = document.tracing.as_ref().unwrap();
            assert_eq!(tracing.detail, detail.to_string());
            assert_eq!(tracing.sample, Sampling::default().to_string());
            assert!(tracing.ring_bytes > 0 && !tracing.recorded);
            let case = format!("{server}, {detail}");
            assert_eq!(document.files.is_some(), detail >= Detail::Io, "{case}");
            assert_eq!(document.stages.is_some(), detail >= Detail::Io, "{case}");
            assert_eq!(document.devices.is_some(), detail >= Detail::Full, "{case}");
            assert_eq!(document.statements.is_some(), detail >= Detail::Full, "{case}");
            let groups = if server == "mysql" {
                Detail::Io
            } else {
                Detail::Full
            };
            assert_eq!(document.groups.is_some(), detail >= groups, "{case}");
        }
    }
}

#[test]
fn what_was_traced_and_not_there_is_empty() {
    let _turn = beside_others();
    for server in one_or_all(&SERVERS) {
        let reads = document_of(server, "--workload point_select --detail full");
        let commits = reads.commits.as_ref().unwrap();
        assert_eq!((commits.count, reads.groups.as_ref().unwrap().count), (0, 0));
        assert!(reads.files.is_some() && reads.devices.is_some());
        assert!(reads.statements.unwrap().count > 0);
    }
}
