//! What each renderer makes of each sample, compared with the snapshots beside this file.

use logtrace_report::render::{Format, Input, RenderError, flamegraph, parse_folded, render};

use crate::samples::{self, Sample};

fn rendered(format: Format, sample: &Sample) -> String {
    let input = Input {
        document: &sample.document,
        stacks: &sample.stacks,
        color: false,
    };
    render(format, input).unwrap()
}

#[test]
fn every_sample_in_every_format() {
    for (name, mut sample) in samples::all() {
        for format in Format::ALL.into_iter().filter(|&format| format != Format::Html) {
            insta::assert_snapshot!(format!("{name}.{format}"), rendered(format, &sample));
        }
        // The drawing has a snapshot of its own; nobody could review it within the page.
        sample.stacks.clear();
        insta::assert_snapshot!(format!("{name}.html"), rendered(Format::Html, &sample));
    }
}

#[test]
fn the_drawing() {
    let sample = samples::traced();
    let svg = flamegraph(&sample.document, &sample.stacks).unwrap();
    insta::assert_snapshot!("traced.flamegraph", svg);
}

#[test]
fn the_page_holds_the_drawing_and_loads_nothing() {
    let page = rendered(Format::Html, &samples::traced());
    assert!(page.contains("data=\"data:image/svg+xml;base64,"));
    for address in ["src=\"", "href=\"", "url(", "@import"] {
        assert!(
            !page.contains(address),
            "the page refers to something by {address}"
        );
    }
}

#[test]
fn nothing_to_draw_is_an_error() {
    let sample = samples::not_traced();
    let error = flamegraph(&sample.document, &sample.stacks).unwrap_err();
    assert!(matches!(error, RenderError::NoStacks), "{error}");
}

#[test]
fn folded_stacks_read_back() {
    let sample = samples::traced();
    let text = rendered(Format::Folded, &sample);
    assert_eq!(parse_folded(&text).unwrap(), sample.stacks);
}

#[test]
fn colours_change_nothing_but_colours() {
    for (name, sample) in samples::all() {
        let input = |color| Input {
            document: &sample.document,
            stacks: &sample.stacks,
            color,
        };
        let colored = render(Format::Terminal, input(true)).unwrap();
        let plain = render(Format::Terminal, input(false)).unwrap();
        assert_ne!(colored, plain, "{name}");
        assert_eq!(without_escapes(&colored), plain, "{name}");
    }
}

fn without_escapes(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        out.push_str(before);
        rest = after.split_once('m').unwrap().1;
    }
    out.push_str(rest);
    // A style that ends behind the padding keeps blanks that plain text drops.
    out.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

#[test]
fn the_terminal_report_is_at_most_100_columns_wide() {
    for (name, sample) in samples::all() {
        for line in rendered(Format::Terminal, &sample).lines() {
            assert!(line.chars().count() <= 100, "{name}: {line}");
        }
    }
}

#[test]
fn losses_are_said_in_the_first_lines() {
    let report = rendered(Format::Terminal, &samples::losses());
    let first: Vec<&str> = report.lines().take(6).collect();
    assert!(
        first.iter().any(|line| line.contains("lost events 1,204")),
        "{report}"
    );
    assert!(first.contains(&"CAVEATS"), "{report}");
}

#[test]
fn a_word_that_is_no_format_is_refused_with_those_that_are() {
    for format in Format::ALL {
        assert_eq!(format.as_str().parse(), Ok(format));
    }
    let error = "pdf".parse::<Format>().unwrap_err().to_string();
    for format in Format::ALL {
        assert!(error.contains(format.as_str()), "{error}");
    }
}
