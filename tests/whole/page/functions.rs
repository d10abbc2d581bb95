//! The pure functions of the page's script.

use std::path::Path;
use std::process::Command;

#[test]
fn the_functions_of_the_page_are_right() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/report/page/tests.js");
    let ran = Command::new("node").arg("--test").arg(tests).output();
    let ran = ran.expect("no node: scripts/setup --tests installs it");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stdout));
}
