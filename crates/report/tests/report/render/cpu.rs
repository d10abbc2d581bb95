//! CPU time in reports.

use logtrace_report::document::{Document, Gaps, Work};
use logtrace_report::render::Format;

use super::golden::rendered;
use super::samples;

/// Line of the terminal's report about CPU time.
fn line(document: &Document) -> Option<String> {
    let sample = samples::Sample {
        document: document.clone(),
        ..samples::traced()
    };
    let text = rendered(Format::Terminal, &sample);
    text.lines()
        .find(|line| line.contains("server CPU"))
        .map(str::to_owned)
}

#[test]
fn it_is_that_of_a_commit_or_else_of_a_request() {
    let mut document = samples::traced().document;
    let mean_us = |total: u64, count: u64| format!("{} us", total / count / 1_000);
    let total = document.cpu.as_ref().unwrap().server.total;
    let of_commit = mean_us(total, document.work(Work::Commit).unwrap());
    assert!(
        line(&document)
            .unwrap()
            .contains(&format!("server CPU: {of_commit} a commit"))
    );
    // Bursts saw a part of the commits, and the CPU time is that of the whole window.
    document.tracer.as_mut().unwrap().gaps = Some(Gaps {
        count: 1,
        traced: 1,
        untraced: 1,
    });
    assert_eq!(document.work(Work::Commit), None);
    let of_request = mean_us(total, document.work(Work::Request).unwrap());
    assert!(
        line(&document)
            .unwrap()
            .contains(&format!("server CPU: {of_request} a request"))
    );
    document.driver.as_mut().unwrap().done = 0;
    assert!(line(&document).unwrap().contains("server CPU: 9.00 s"));
    document.cpu.as_mut().unwrap().machine = None;
    assert!(!line(&document).unwrap().contains("machine"));
    document.cpu = None;
    assert_eq!(line(&document), None);
}

#[test]
fn columns_that_do_not_sum_are_refused() {
    let mut document = samples::traced().document;
    document.check().unwrap();
    document.cpu.as_mut().unwrap().machine.as_mut().unwrap().columns[3] += 1;
    let error = document.check().unwrap_err().to_string();
    assert!(error.contains("columns of CPU time"), "{error}");
}
