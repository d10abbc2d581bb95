//! What each renderer makes of each sample, compared with the snapshots beside this file.

use logtrace_attribution::breakdown::{StackTotals, Whole};
use logtrace_report::render::{Format, Input, RenderError, flamegraph, parse_folded, render, render_folded};
use logtrace_testkit::page::markup;
use logtrace_testkit::synthetic;
use serde_json::{Value, json};
use strum::IntoEnumIterator;

use super::analysed::breakdown;
use super::samples::{self, Sample};

pub(super) fn rendered(format: Format, sample: &Sample) -> String {
    let input = Input {
        document: &sample.document,
        stacks: &sample.stacks,
        over_time: None,
        color: false,
        all: false,
    };
    render(format, input).unwrap()
}

#[test]
fn every_sample_in_every_format() {
    for (name, mut sample) in samples::all() {
        let is_pure = |&format: &Format| !matches!(format, Format::Html | Format::Speedscope);
        for format in Format::iter().filter(is_pure) {
            let input = Input {
                document: &sample.document,
                stacks: &sample.stacks,
                over_time: None,
                color: false,
                all: false,
            };
            // What a run does not have is an error that says why.
            let text = render(format, input).unwrap_or_else(|error| format!("error: {error}\n"));
            insta::assert_snapshot!(format!("{name}.{format}"), text);
        }
        // The drawings have snapshots of their own; nobody could review it within the page.
        sample.stacks = StackTotals::default();
        let page = markup(&rendered(Format::Html, &sample));
        insta::assert_snapshot!(format!("{name}.html"), page);
    }
}

#[test]
fn the_drawings() {
    let sample = samples::traced();
    for (whole, name) in [
        (Whole::Commit, "flamegraph"),
        (Whole::Response, "response"),
        (Whole::Statement, "statements"),
    ] {
        let svg = flamegraph(&sample.document, &sample.stacks, whole).unwrap();
        insta::assert_snapshot!(format!("traced.{name}"), svg);
    }
}

/// Where each frame of these begins in the drawing, in percent.
fn starts(svg: &str, frames: &[&str]) -> Vec<f64> {
    let start = |frame: &&str| {
        let (_, rest) = svg.split_once(&format!("<title>{frame} (")).unwrap();
        let (_, rest) = rest.split_once("x=\"").unwrap();
        rest.split_once('%').unwrap().0.parse().unwrap()
    };
    frames.iter().map(start).collect()
}

#[test]
fn the_parts_of_a_response_are_drawn_in_the_order_of_time() {
    let sample = samples::traced();
    let svg = flamegraph(&sample.document, &sample.stacks, Whole::Response).unwrap();
    let parts = [
        "lag",
        "client and network",
        "server before commit",
        "commit",
        "server after commit",
    ];
    let starts = starts(&svg, &parts);
    assert!(starts.is_sorted_by(|a, b| a < b), "{starts:?}");
}

#[test]
fn the_page_holds_the_drawings_and_loads_nothing() {
    // A link to a section is no request.
    let page = rendered(Format::Html, &samples::traced()).replace("href=\"#", "");
    assert_eq!(page.matches("data=\"data:image/svg+xml;base64,").count(), 3);
    for address in ["src=\"", "href=\"", "url(", "@import"] {
        assert!(
            !page.contains(address),
            "the page refers to something by {address}"
        );
    }
}

#[test]
fn speedscope_gets_each_stack_with_its_time() {
    let sample = samples::traced();
    let file: Value = serde_json::from_str(&rendered(Format::Speedscope, &sample)).unwrap();
    let frames = file["shared"]["frames"].as_array().unwrap();
    let profiles = file["profiles"].as_array().unwrap();
    assert_eq!(profiles.len(), Whole::ALL.len());
    for (whole, profile) in Whole::ALL.into_iter().zip(profiles) {
        assert_eq!(
            (&profile["type"], &profile["unit"]),
            (&json!("sampled"), &json!("nanoseconds"))
        );
        let samples = profile["samples"].as_array().unwrap().iter();
        let read = samples
            .zip(profile["weights"].as_array().unwrap())
            .map(|(places, weight)| {
                let places = places
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|place| place.as_u64().unwrap());
                let names = places.map(|place| {
                    frames[usize::try_from(place).unwrap()]["name"]
                        .as_str()
                        .unwrap()
                        .to_owned()
                });
                (names.collect(), weight.as_u64().unwrap())
            });
        let stacks = sample
            .stacks
            .of(whole)
            .iter()
            .map(|stack| (stack.frames.clone(), stack.total_ns));
        assert_eq!(
            read.collect::<Vec<(Vec<String>, u64)>>(),
            stacks.collect::<Vec<_>>()
        );
        let total: u64 = sample.stacks.of(whole).iter().map(|stack| stack.total_ns).sum();
        assert_eq!(profile["endValue"].as_u64(), Some(total));
    }
    let nothing = Input {
        document: &sample.document,
        stacks: &StackTotals::default(),
        over_time: None,
        color: false,
        all: false,
    };
    assert!(matches!(
        render(Format::Speedscope, nothing),
        Err(RenderError::NoStacks)
    ));
}

#[test]
fn the_pictures_over_time_are_in_the_page() {
    let mut sample = samples::traced();
    sample.document.workload = None;
    let over_time = breakdown(synthetic::group_commits(8, 800)).over_time;
    let input = Input {
        document: &sample.document,
        stacks: &sample.stacks,
        over_time: Some(&over_time),
        color: false,
        all: false,
    };
    let page = render(Format::Html, input).unwrap();
    let (_, section) = page
        .split_once("<section id=\"over-time\" class=\"over-time\">")
        .unwrap();
    let (section, _) = section.split_once("</section>").unwrap();
    // What a library makes of the pixels is tested where they are drawn.
    let parts = section
        .split("data:image/png;base64,")
        .map(|part| match part.split_once('"') {
            Some((_, rest)) if part.starts_with("iVBOR") => format!("PNG\"{rest}"),
            _ => part.to_owned(),
        });
    insta::assert_snapshot!(parts.collect::<Vec<_>>().join("data:"));
}

#[test]
fn nothing_to_draw_is_an_error() {
    let sample = samples::not_traced();
    for whole in Whole::ALL {
        let error = flamegraph(&sample.document, &sample.stacks, whole).unwrap_err();
        assert!(matches!(error, RenderError::NoStacks), "{error}");
    }
}

#[test]
fn stacks_of_impossible_length_are_an_error() {
    let mut sample = samples::traced();
    for whole in Whole::ALL {
        sample.stacks.of_mut(whole)[0].total_ns = u64::MAX;
        let error = flamegraph(&sample.document, &sample.stacks, whole).unwrap_err();
        assert!(matches!(error, RenderError::StacksOverflow), "{error}");
    }
}

#[test]
fn folded_stacks_read_back() {
    let sample = samples::traced();
    for whole in Whole::ALL {
        let text = render_folded(whole, &sample.stacks);
        assert_eq!(parse_folded(whole, &text).unwrap(), sample.stacks.of(whole));
    }
}

#[test]
fn colours_change_nothing_but_colours() {
    for (name, sample) in samples::all() {
        let input = |color| Input {
            document: &sample.document,
            stacks: &sample.stacks,
            over_time: None,
            color,
            all: false,
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
fn sentences_of_the_terminal_report_are_at_most_80_columns_wide() {
    const TITLES: [&str; 2] = ["what to change", "where to look next"];
    for (name, sample) in samples::all() {
        let report = rendered(Format::Terminal, &sample);
        let blocks = report
            .split("\n\n")
            .filter(|block| TITLES.iter().any(|title| block.starts_with(title)));
        let blocks: Vec<&str> = blocks.collect();
        assert!(!blocks.is_empty(), "{name}");
        for line in blocks.iter().flat_map(|block| block.lines()) {
            assert!(line.chars().count() <= 80, "{name}: {line}");
        }
    }
}

#[test]
fn losses_are_said_in_the_first_lines() {
    let report = rendered(Format::Terminal, &samples::losses());
    let first: Vec<&str> = report.lines().take(7).collect();
    assert!(
        first.iter().any(|line| line.contains("lost events 1,204")),
        "{report}"
    );
    assert!(first.contains(&"CAVEATS"), "{report}");
}

#[test]
fn a_word_that_is_no_format_is_refused_with_those_that_are() {
    for format in Format::iter() {
        assert_eq!(format.to_string().parse(), Ok(format));
    }
    let error = "pdf".parse::<Format>().unwrap_err().to_string();
    for format in Format::iter() {
        assert!(error.contains(&format.to_string()), "{error}");
    }
}

#[test]
fn names_from_elsewhere_do_not_command_the_terminal() {
    let mut sample = samples::losses();
    let document = &mut sample.document;
    document.server.version = "9\u{1b}[2J".to_owned();
    document.caveats[0].text = "a\u{1b}]0;title\u{7}b\rc".to_owned();
    document.unclassified[0].frames[0] = "\u{9b}31m".to_owned();
    let report = rendered(Format::Terminal, &sample);
    let commands: Vec<char> = report.chars().filter(|c| c.is_control() && *c != '\n').collect();
    assert!(commands.is_empty(), "{commands:?}");
}

#[test]
fn names_from_elsewhere_are_no_markup() {
    let mut sample = samples::losses();
    sample.document.server.device = "<script>alert(1)</script>".to_owned();
    for format in [Format::Html, Format::Markdown] {
        let text = rendered(format, &sample);
        assert!(text.contains("alert(1)"), "{format}");
        assert!(!text.replace("\\<", "").contains("<script>"), "{format}");
    }
}

/// Sets every number to the largest that its field holds.
fn to_the_limit(value: &mut Value, name: &str) {
    match value {
        Value::Number(number) if number.is_u64() && name != "schema" => {
            *value = match name {
                "connections" | "cpus" | "hardware_queues" | "pid" | "tables" | "thread" | "tid" => {
                    json!(u32::MAX)
                }
                _ => json!(u64::MAX),
            };
        }
        Value::Number(number) if number.is_f64() => *value = json!(f64::MAX),
        Value::Array(items) => items.iter_mut().for_each(|item| to_the_limit(item, name)),
        Value::Object(fields) => fields
            .iter_mut()
            .for_each(|(name, field)| to_the_limit(field, name)),
        _ => {}
    }
}

#[test]
fn numbers_at_their_limit_are_rendered() {
    for (name, mut sample) in samples::all() {
        let mut value = serde_json::to_value(&sample.document).unwrap();
        to_the_limit(&mut value, "");
        sample.document = serde_json::from_value(value).unwrap();
        for format in Format::iter() {
            let input = Input {
                document: &sample.document,
                stacks: &sample.stacks,
                over_time: None,
                color: false,
                all: false,
            };
            match render(format, input) {
                Ok(text) => assert!(!text.is_empty(), "{name}: {format}"),
                // Without stacks there is nothing for a viewer of stacks.
                Err(RenderError::Absent { .. } | RenderError::NoStacks) => {}
                Err(error) => panic!("{name}: {format}: {error}"),
            }
        }
    }
}
