//! Pages that are read back.

use logtrace_report::parse_json;
use logtrace_report::render::{Format, PageError, read_page};
use logtrace_testkit::fuzz::{config, damaged_text};
use proptest::prelude::*;

use super::golden::rendered;
use super::samples;

#[test]
fn the_numbers_of_a_page_are_those_of_its_run() {
    for (name, sample) in samples::all() {
        let (document, over_time) = read_page(&rendered(Format::Html, &sample)).unwrap();
        let of_run = parse_json(&rendered(Format::Json, &sample)).unwrap();
        assert_eq!((document, over_time), (of_run, None), "{name}");
    }
}

#[test]
fn what_is_no_page_of_a_run_is_refused() {
    let page = rendered(Format::Html, &samples::traced());
    let older = page.replace("id=\"run-json\"", "id=\"other\"");
    assert!(matches!(read_page(&older), Err(PageError::Missing)));
    let (before, after) = page.split_once("id=\"run-json\">").unwrap();
    let damaged = format!("{before}id=\"run-json\">AAAA{after}");
    assert!(matches!(read_page(&damaged), Err(PageError::Damaged)));
}

proptest! {
    #![proptest_config(config(200))]

    #[test]
    fn a_damaged_page_is_read_or_refused(text in damaged_text([rendered(Format::Html, &samples::traced())])) {
        let _ = read_page(&text);
    }
}
