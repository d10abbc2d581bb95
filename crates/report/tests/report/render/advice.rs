//! Advice that depends on how a run was made.

use logtrace_attribution::cause::Wait;
use logtrace_report::document::Document;
use logtrace_report::render::{Format, Input, render};

use super::samples;

fn report(format: Format, document: &Document) -> String {
    let input = Input {
        document,
        stacks: &Default::default(),
        over_time: None,
        color: false,
        all: false,
    };
    let text = render(format, input).unwrap();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Report of a run at a level of detail in which calls on files have no file.
fn without_files(detail: &str) -> String {
    let mut document = samples::traced().document;
    document.causes.truncate(1);
    let cause = &mut document.causes[0].cause;
    (cause.io, cause.wait) = (None, Wait::FileIo);
    document.tracing.as_mut().unwrap().detail = detail.to_owned();
    report(Format::Terminal, &document)
}

#[test]
fn a_rate_that_is_a_share_is_compared_by_its_absolute_rate() {
    const REMEDY: &str = "run both with --rate 1200/s";
    let mut document = samples::traced().document;
    (document.commits, document.causes, document.unexplained) = (None, Vec::new(), 0);
    for format in [Format::Terminal, Format::Markdown, Format::Html] {
        let text = report(format, &document).replace("<span class=\"together\">", "");
        assert!(text.contains(REMEDY), "{format} without commits");
    }
    document.driver.as_mut().unwrap().capacity = None;
    assert!(!report(Format::Terminal, &document).contains(REMEDY));
}

#[test]
fn more_detail_is_advised_only_where_there_is_more() {
    const MORE: &str = "--detail io shows which files";
    assert!(without_files("commit").contains(MORE));
    for detail in ["io", "full"] {
        let report = without_files(detail);
        assert!(!report.contains("--detail"), "{report}");
        assert!(report.contains("began before the trace"), "{report}");
    }
}
