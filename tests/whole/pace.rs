//! `logtrace pace`: a table of this machine, without root and without a server.

use crate::common::{alone, logtrace};

#[test]
fn every_way_of_waiting_is_measured_at_every_rate() {
    let _alone = alone();
    let output = logtrace().args(["pace", "--duration", "200ms"]).output().unwrap();
    assert!(output.status.success());
    assert!(output.stderr.is_empty(), "quiet where nobody looks");
    let text = String::from_utf8(output.stdout).unwrap();
    let median_us = |rate: &str, way: &str| -> f64 {
        let mut rows = text.lines().filter_map(|line| {
            line.trim_start()
                .strip_prefix(rate)?
                .trim_start()
                .strip_prefix(way)
        });
        let row = rows.next().unwrap_or_else(|| panic!("{way} at {rate}/s: {text}"));
        row.split_whitespace().next().unwrap().parse().unwrap()
    };
    for rate in ["100 ", "500 ", "1000 ", "2000 ", "5000 "] {
        for way in ["bare timer ", "pacer ", "spinning ", "tokio timer "] {
            assert!(median_us(rate, way) > 0.0);
        }
    }
    // Whole milliseconds.
    assert!(
        median_us("1000 ", "tokio timer ") > 3.0 * median_us("1000 ", "spinning "),
        "{text}"
    );
}
