//! Runs of a hostile server: whatever its names are, no format hands commands of it on.

use logtrace_common::inert::is_inert;
use logtrace_report::document::Document;
use logtrace_report::render::{Format, Input, render};
use proptest::prelude::*;
use serde_json::Value;
use strum::IntoEnumIterator;

use super::samples;

/// Texts that come from servers, files and users.
const TEXTS: [&str; 10] = [
    "/server/version",
    "/caveats/0/text",
    "/caveats/0/kind",
    "/files/0/path",
    "/unclassified/0/frames/0",
    "/devices/0/device",
    "/holders/transactions/0/session/user",
    "/holders/transactions/0/session/host",
    "/holders/transactions/0/session/statement",
    "/stages/waits/0/held_by/0/session/statement",
];

/// A sample with this text in all places.
fn hostile(text: &str) -> Document {
    let mut document: Value = serde_json::to_value(samples::losses().document).unwrap();
    let mut set = 0;
    for place in TEXTS {
        if let Some(value) = document.pointer_mut(place) {
            *value = Value::String(text.to_owned());
            set += 1;
        }
    }
    assert!(set >= 7, "{set} of the places are in the sample");
    serde_json::from_value(document).unwrap()
}

fn texts() -> impl Strategy<Value = String> {
    let special = proptest::sample::select(vec![
        "\x1b]0;title\x07",
        "\x1b[2J",
        "\u{9b}2J",
        "\u{202e}",
        "\u{2066}",
        "\r",
        "\n",
        "\0",
        "\x7f",
        "`<img onerror=x>`",
    ]);
    let pieces = prop_oneof![special.prop_map(str::to_owned), any::<String>()];
    proptest::collection::vec(pieces, 1..6).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn no_format_hands_on_a_command(text in texts()) {
        let document = hostile(&text);
        let stacks = samples::losses().stacks;
        for format in Format::iter() {
            let input = Input { document: &document, stacks: &stacks, over_time: None, color: false, all: false };
            let shown = render(format, input).unwrap();
            let command = shown.chars().find(|&c| !is_inert(c) && c != '\n');
            prop_assert_eq!(command, None, "{}", format);
            if format == Format::Markdown || format == Format::Html {
                prop_assert!(!shown.replace("\\<", "").contains("<img onerror"), "{format}");
            }
        }
    }
}
