//! Parts that a run does not have: the reports say why, and what to do.

use logtrace_attribution::breakdown::StackTotals;
use logtrace_common::Flavor;
use logtrace_report::document::Document;
use logtrace_report::render::{Format, Input, RenderError, render};

use super::samples;

fn reported(document: &Document, format: Format) -> Result<String, RenderError> {
    let input = Input {
        document,
        stacks: &StackTotals::default(),
        over_time: None,
        color: false,
        all: false,
    };
    render(format, input)
}

#[test]
fn a_traced_run_without_parts_of_its_response_times_says_why_in_each_report() {
    let whole = samples::traced().document;
    let mut document = whole.clone();
    document.response = None;
    let handling = |value: &str| Some(("thread_handling".to_owned(), value.to_owned()));
    for (flavor, setting, words) in [
        (Flavor::MySql, None, "performance_schema=ON"),
        (Flavor::MariaDb, None, "another PID namespace"),
        (
            Flavor::MariaDb,
            handling("pool-of-threads"),
            "thread_handling=one-thread-per-connection",
        ),
        (
            Flavor::MySql,
            handling("loaded-dynamically"),
            "without the plugin thread_pool",
        ),
    ] {
        document.server.flavor = flavor;
        document.server.settings.extend(setting);
        for format in [Format::Terminal, Format::Markdown, Format::Html] {
            let text = reported(&document, format).unwrap().replace('\\', "");
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(
                text.contains("are unknown:") && text.contains(words),
                "{format}: {text}"
            );
        }
        let error = reported(&document, Format::FoldedResponse)
            .unwrap_err()
            .to_string();
        assert!(error.contains(words), "{error}");
    }
    for document in [whole, samples::not_traced().document, samples::trace().document] {
        assert!(
            !reported(&document, Format::Terminal)
                .unwrap()
                .contains("are unknown:")
        );
    }
}

#[test]
fn a_format_with_nothing_to_show_is_an_error_with_a_remedy() {
    let says = |document: &Document, format: Format, words: &str| {
        let error = reported(document, format).unwrap_err();
        assert!(matches!(error, RenderError::Absent { .. }), "{format}: {error}");
        assert!(error.to_string().contains(words), "{format}: {error}");
    };
    let not_traced = samples::not_traced().document;
    for format in [
        Format::Csv,
        Format::Folded,
        Format::FoldedResponse,
        Format::FoldedStatement,
    ] {
        says(&not_traced, format, "Run without --no-trace");
    }
    let no_commits = samples::no_commits().document;
    says(&no_commits, Format::Csv, "a load that commits");
    says(&no_commits, Format::Folded, "a load that commits");
    says(
        &samples::trace().document,
        Format::FoldedResponse,
        "only a run has response times",
    );
    let mut without_statements = samples::traced().document;
    without_statements.statements = None;
    says(&without_statements, Format::FoldedStatement, "--detail full");
}
