//! Which package may import which: along the data, and never back.

/// Packages that each library may import, besides the leaf `logtrace-common`. Its tests may import `logtrace-testkit` too.
pub const DIRECTIONS: [(&str, &[&str]); 13] = [
    ("logtrace-common", &[]),
    ("logtrace-source-rules", &[]),
    ("logtrace-events", &[]),
    ("logtrace-statistics", &[]),
    ("logtrace-server", &["logtrace-events"]),
    ("logtrace-driver", &["logtrace-events"]),
    ("logtrace-tracer", &["logtrace-events"]),
    ("logtrace-attribution", &["logtrace-events"]),
    ("logtrace-report", &["logtrace-attribution", "logtrace-events"]),
    (
        "logtrace-study",
        &[
            "logtrace-attribution",
            "logtrace-driver",
            "logtrace-events",
            "logtrace-report",
            "logtrace-server",
            "logtrace-statistics",
        ],
    ),
    (
        "logtrace-compare",
        &[
            "logtrace-attribution",
            "logtrace-events",
            "logtrace-report",
            "logtrace-statistics",
        ],
    ),
    (
        "logtrace-measure",
        &[
            "logtrace-attribution",
            "logtrace-driver",
            "logtrace-events",
            "logtrace-report",
            "logtrace-server",
            "logtrace-tracer",
        ],
    ),
    (
        "logtrace-dataset",
        &["logtrace-attribution", "logtrace-events", "logtrace-report"],
    ),
];
