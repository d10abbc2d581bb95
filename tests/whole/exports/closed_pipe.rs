//! Exports to a reader that has enough.

use std::io;

use crate::common::{beside_others, logtrace, run};

#[test]
fn an_export_into_a_closed_pipe_ends_quietly() {
    let _turn = beside_others();
    let ran = run("--rate 100/s --duration 1s --warmup 200ms --rows 1000 --server mariadb --record");
    for format in ["parquet", "perfetto", "pprof", "speedscope", "html"] {
        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        let mut report = logtrace();
        report
            .arg("report")
            .arg(ran.file(""))
            .args(["--format", format, "--out", "-"]);
        let ended = report.stdout(writer).output().unwrap();
        let said = String::from_utf8_lossy(&ended.stderr);
        assert_eq!((ended.status.code(), &*said), (Some(0), ""), "{format}");
    }
}
