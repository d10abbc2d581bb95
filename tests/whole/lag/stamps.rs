//! What bpftrace prints is read as it stands, or refused.

use proptest::prelude::*;

use logtrace_benchkit::lag::stamps::{Stamp, Unreadable, stamps};

const PRINTED: &str = r#"{"type": "attached_probes", "data": {"probes": 3}}
{"type": "printf", "data": "attached\n"}

{"type": "map", "data": {"@sends": {"30,8": 1, "4,7": 1}}}
{"type": "map", "data": {"@queued": {}}}
"#;

#[test]
fn maps_are_in_the_order_of_time() {
    let read = stamps(PRINTED, 3).unwrap();
    let stamp = |at_ns, thread| Stamp {
        at_ns,
        thread,
        value: 1,
    };
    assert_eq!(read["@sends"], [stamp(4, 7), stamp(30, 8)]);
    assert_eq!(read["@queued"], []);
}

#[test]
fn a_full_map_may_have_lost_some() {
    assert_eq!(stamps(PRINTED, 2), Err(Unreadable::Full("@sends".into())));
}

#[test]
fn anything_else_is_refused() {
    let refused = |line: &str| stamps(line, 10).unwrap_err();
    assert_eq!(
        refused("stdin:1: warning"),
        Unreadable::Line("stdin:1: warning".into())
    );
    assert_eq!(refused("{}"), Unreadable::Line("{}".into()));
    let lost = r#"{"type": "lost_events", "data": {"events": 5}}"#;
    assert_eq!(refused(lost), Unreadable::Type("lost_events".into()));
    for entry in [
        r#""4": 1"#,
        r#""4,x": 1"#,
        r#""4,5,6": 1"#,
        r#""-4,5": 1"#,
        r#""4,5": -1"#,
    ] {
        let line = format!(r#"{{"type": "map", "data": {{"@sends": {{{entry}}}}}}}"#);
        assert!(matches!(refused(&line), Unreadable::Entry(_)), "{line}");
    }
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text: String) {
        let _ = stamps(&text, 10);
    }
}
