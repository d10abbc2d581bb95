//! The pure functions of the scripts of pages.

use std::path::Path;
use std::process::Command;

#[test]
fn the_functions_of_the_pages_are_right() {
    for tests in ["crates/report/page/tests.js", "crates/study/page/tests.js"] {
        let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join(tests);
        let ran = Command::new("node").arg("--test").arg(tests).output();
        let ran = ran.expect("no node: scripts/setup --tests installs it");
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stdout));
    }
}
