//! Chromium without a screen.

use std::fs;
use std::path::Path;
use std::process::Command;

const NO_BROWSER: &str = "no chromium: scripts/setup --tests installs it";

/// A page as the browser has it after its script ran.
pub(crate) struct Shown {
    /// The elements of the page, as HTML.
    pub(crate) html: String,
    /// Messages of the browser: errors of the script, and requests that were refused.
    pub(crate) messages: Vec<String>,
}

/// Colours that a reader wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Theme {
    Light,
    Dark,
}

/// Opens a page. `fragment` is the end of its address, and `script` runs after the page's own.
pub(crate) fn open(page: &str, fragment: &str, script: &str) -> Shown {
    open_as(page, fragment, script, Theme::Light)
}

/// Opens a page for a reader who wants these colours.
pub(super) fn open_as(page: &str, fragment: &str, script: &str, theme: Theme) -> Shown {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("report.html");
    // The page allows no script but its own.
    let allowed = page.replacen("script-src ", "script-src 'nonce-test' ", 1);
    let with_script = allowed.replace(
        "</body>",
        &format!("<script nonce=\"test\">{script}</script></body>"),
    );
    fs::write(&path, with_script).unwrap();
    let profile = directory.path().join("profile");
    // Numbers of blink::mojom::PreferredColorScheme.
    let scheme = match theme {
        Theme::Light => "--blink-settings=preferredColorScheme=1",
        Theme::Dark => "--blink-settings=preferredColorScheme=0",
    };
    let ran = chromium(&path, fragment, &profile)
        .args(["--enable-logging=stderr", "--dump-dom", scheme])
        .output();
    let ran = ran.expect(NO_BROWSER);
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

/// Prints a page, in a browser with or without scripts, and returns the words on paper.
pub(super) fn printed(page: &str, has_scripts: bool) -> String {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    fs::write(at("report.html"), page).unwrap();
    fs::create_dir_all(at("profile/Default")).unwrap();
    if !has_scripts {
        let without = r#"{"profile":{"default_content_setting_values":{"javascript":2}}}"#;
        fs::write(at("profile/Default/Preferences"), without).unwrap();
    }
    let paper = at("report.pdf");
    let ran = chromium(&at("report.html"), "", &at("profile"))
        .arg(format!("--print-to-pdf={}", paper.display()))
        .output();
    let ran = ran.expect(NO_BROWSER);
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let words = Command::new("pdftotext").arg(&paper).arg("-").output();
    let words = words.expect("no pdftotext: scripts/setup --tests installs it");
    String::from_utf8(words.stdout).unwrap()
}

/// Returns the browser that opens a page. `fragment` is the end of its address.
fn chromium(page: &Path, fragment: &str, profile: &Path) -> Command {
    let mut command = Command::new("chromium");
    command
        // Root has no sandbox there; the page is ours.
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
        ])
        .arg("--virtual-time-budget=10000")
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(format!("file://{}#{fragment}", page.display()));
    command
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
