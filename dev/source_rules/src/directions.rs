//! Directions of imports between packages, and between modules of a package: along the data, and never back.

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
    (
        "logtrace-report",
        &["logtrace-attribution", "logtrace-events", "logtrace-statistics"],
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
        "logtrace-study",
        &[
            "logtrace-attribution",
            "logtrace-driver",
            "logtrace-events",
            "logtrace-measure",
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
        "logtrace-dataset",
        &["logtrace-attribution", "logtrace-events", "logtrace-report"],
    ),
];

/// Modules that stand above the rest of their package, which imports none of them, and the crates that they alone import.
pub const UPPER_MODULES: [(&str, &[&str], &[&str]); 2] = [
    (
        "logtrace-report",
        &["perfetto", "pprof", "render"],
        &[
            "anstyle",
            "askama",
            "base64",
            "comfy_table",
            "csv",
            "flate2",
            "inferno",
            "png",
            "prost",
            "sha2",
            "textwrap",
        ],
    ),
    (
        "logtrace-study",
        &["runner"],
        &[
            "anyhow",
            "jiff",
            "logtrace_measure",
            "rustix",
            "tempfile",
            "tokio",
        ],
    ),
];
