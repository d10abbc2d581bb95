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

impl Theme {
    /// Returns the option of the browser, with the number of blink::mojom::PreferredColorScheme.
    fn option(self) -> &'static str {
        match self {
            Self::Light => "--blink-settings=preferredColorScheme=1",
            Self::Dark => "--blink-settings=preferredColorScheme=0",
        }
    }
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
    let ran = chromium(&path, fragment, &profile)
        .args(["--enable-logging=stderr", "--dump-dom", theme.option()])
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

/// A page on paper.
pub(super) struct Paper {
    /// Its words.
    pub(super) words: String,
    /// How bright its first sheet is at each point, from 0 to 255.
    pub(super) points: Vec<u8>,
}

/// Prints a page for a reader who wants these colours, in a browser with or without scripts.
pub(super) fn printed(page: &str, has_scripts: bool, theme: Theme) -> Paper {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    fs::write(at("report.html"), page).unwrap();
    fs::create_dir_all(at("profile/Default")).unwrap();
    if !has_scripts {
        let without = r#"{"profile":{"default_content_setting_values":{"javascript":2}}}"#;
        fs::write(at("profile/Default/Preferences"), without).unwrap();
    }
    let pdf = at("report.pdf");
    let ran = chromium(&at("report.html"), "", &at("profile"))
        .arg(theme.option())
        .arg(format!("--print-to-pdf={}", pdf.display()))
        .output();
    let ran = ran.expect(NO_BROWSER);
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let read = |program: &str, options: &[&str], to: &[&str]| {
        let ran = Command::new(program).args(options).arg(&pdf).args(to).output();
        ran.expect("no pdftotext, no pdftoppm: scripts/setup --tests installs them")
            .stdout
    };
    let picture = read("pdftoppm", &["-gray", "-r", "30", "-singlefile"], &[]);
    // P5, width and height, and the largest value, each on a line.
    let points = picture.splitn(4, |&byte| byte == b'\n').nth(3).unwrap().to_vec();
    Paper {
        words: String::from_utf8(read("pdftotext", &[], &["-"])).unwrap(),
        points,
    }
}

/// Window of a telephone, and of a small notebook, in pixels.
pub(crate) const TELEPHONE: (u32, u32) = (390, 844);
pub(super) const NOTEBOOK: (u32, u32) = (1280, 800);

/// Returns what is wider than the window of a telephone: the width of the page if it is wider, and the elements that reach beyond it.
pub(crate) fn wider_than_a_telephone(page: &str, fragment: &str) -> String {
    in_window(page, fragment, TELEPHONE, WIDER)
}

/// Names what is wider than the window, but for what scrolls by itself.
const WIDER: &str = "const scrolls = (one) => one.closest('nav, .wide, pre, .stack') !== null;
  const wide = [...body.querySelectorAll('*')].filter((one) => one.getBoundingClientRect().right > page.clientWidth && !scrolls(one));
  const names = wide.slice(0, 5).map((one) => one.localName + '.' + one.className);
  return page.scrollWidth > page.clientWidth ? [page.scrollWidth, ...names].join(' ') : '';";

/// Names what is scrolled sideways in the window of a telephone when all is unfolded, but for the list of contents and texts as they
/// were measured.
pub(crate) fn scrolled_on_a_telephone(page: &str) -> String {
    in_window(page, "", TELEPHONE, SCROLLED)
}

const SCROLLED: &str = "body.querySelectorAll('details').forEach((one) => { one.open = true; });
  const style = (one) => frame.contentWindow.getComputedStyle(one).overflowX;
  const is_scrolled = (one) => ['auto', 'scroll'].includes(style(one)) && one.scrollWidth > one.clientWidth + 1;
  const found = [...body.querySelectorAll('*')].filter((one) => is_scrolled(one) && one.closest('nav, pre') === null);
  return found.map((one) => one.className + ': ' + one.textContent.trim().slice(0, 30)).join(', ');";

/// Returns which of these elements are not whole in the first screen of a window, with their lower ends.
pub(super) fn below_the_first_screen(page: &str, window: (u32, u32), wanted: &[&str]) -> String {
    let wanted = serde_json::to_string(wanted).unwrap();
    let below = format!(
        "const ends = {wanted}.map((one) => [one, Math.round(body.querySelector(one)?.getBoundingClientRect().bottom ?? NaN)]);
        return ends.filter(([, end]) => !(end <= frame.contentWindow.innerHeight)).join(' ');"
    );
    in_window(page, "", window, &below)
}

/// Returns the height of a page in a window.
pub(super) fn height(page: &str, window: (u32, u32)) -> u32 {
    in_window(page, "", window, "return page.scrollHeight;")
        .parse()
        .unwrap()
}

/// Returns the result of a script in a window of this width and height: `page` and `body` are the elements of the page.
fn in_window(page: &str, fragment: &str, (width, height): (u32, u32), script: &str) -> String {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    fs::write(at("report.html"), page).unwrap();
    // A browser without a screen has no window as narrow as a telephone. The page is measured a second after it is there.
    let around = format!(
        "<!doctype html><body><iframe style=\"width: {width}px; height: {height}px; border: 0\" src=\"report.html#{fragment}\"></iframe><script>
const frame = document.querySelector('iframe');
const result = (page, body) => {{ {script} }};
frame.addEventListener('load', () => setTimeout(() => {{
  const {{ documentElement: page, body }} = frame.contentDocument;
  if (frame.contentWindow.innerWidth !== {width}) throw new Error('the window has another width');
  document.body.dataset.found = result(page, body);
}}, 1000));
</script></body>"
    );
    fs::write(at("around.html"), around).unwrap();
    let ran = chromium(&at("around.html"), "", &at("profile"))
        .args(["--allow-file-access-from-files", "--dump-dom"])
        .output();
    let ran = ran.expect(NO_BROWSER);
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let html = String::from_utf8(ran.stdout).unwrap();
    let (_, found) = html.split_once("data-found=\"").expect("the page was measured");
    found.split_once('"').unwrap().0.to_owned()
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
