//! Chromium without a screen.

use std::fs;
use std::path::Path;
use std::process::Command;

/// A page as the browser has it after its script ran.
pub(super) struct Shown {
    /// The elements of the page, as HTML.
    pub(super) html: String,
    /// Messages of the browser: errors of the script, and requests that were refused.
    pub(super) messages: Vec<String>,
}

/// Opens a page. `fragment` is the end of its address, and `script` runs after the page's own.
pub(super) fn open(page: &str, fragment: &str, script: &str) -> Shown {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("report.html");
    fs::write(
        &path,
        page.replace("</body>", &format!("<script>{script}</script></body>")),
    )
    .unwrap();
    let ran = Command::new("chromium")
        // Root has no sandbox there; the page is ours.
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
        ])
        .args([
            "--enable-logging=stderr",
            "--virtual-time-budget=10000",
            "--dump-dom",
        ])
        .arg(format!("--user-data-dir={}", profile(directory.path())))
        .arg(format!("file://{}#{fragment}", path.display()))
        .output();
    let ran = ran.expect("no chromium: scripts/setup --tests installs it");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let errors = String::from_utf8_lossy(&ran.stderr).into_owned();
    Shown {
        html: String::from_utf8(ran.stdout).unwrap(),
        messages: errors
            .lines()
            .filter(|line| line.contains("CONSOLE"))
            .map(str::to_owned)
            .collect(),
    }
}

fn profile(directory: &Path) -> String {
    directory.join("profile").display().to_string()
}

impl Shown {
    /// Returns the nanoseconds of the selected commits, if commits are selected.
    pub(super) fn selected_ns(&self) -> Option<u64> {
        let (before, rest) = self.html.split_once("data-ns=\"")?;
        assert!(
            before.contains("id=\"selection\" aria-live=\"polite\">"),
            "the result is hidden"
        );
        rest.split_once('"')?.0.parse().ok()
    }
}
