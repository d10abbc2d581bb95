//! The page in Firefox, which is driven by its own protocol (Marionette).

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::selection::{RUN, drag, dragged_ns};

const NO_BROWSER: &str = "no firefox-esr: scripts/setup --tests installs it";

/// Limit on the start of the browser and on the script of the page.
const PATIENCE: Duration = Duration::from_secs(60);

/// Key of a keyboard.
#[derive(Clone, Copy, Debug)]
pub(super) enum Key {
    Tab,
    Enter,
    Escape,
    Home,
    End,
    Left,
    Up,
    Right,
    Down,
}

impl Key {
    /// Returns the character that stands for the key (WebDriver, 17.4.2).
    fn character(self) -> char {
        match self {
            Self::Tab => '\u{e004}',
            Self::Enter => '\u{e007}',
            Self::Escape => '\u{e00c}',
            Self::End => '\u{e010}',
            Self::Home => '\u{e011}',
            Self::Left => '\u{e012}',
            Self::Up => '\u{e013}',
            Self::Right => '\u{e014}',
            Self::Down => '\u{e015}',
        }
    }
}

const SHIFT: char = '\u{e008}';

/// Firefox without a screen, and a connection to it.
pub(super) struct Firefox {
    browser: Child,
    connection: BufReader<TcpStream>,
    commands: u64,
    home: TempDir,
}

impl Firefox {
    pub(super) fn start() -> Self {
        let home = tempfile::tempdir().unwrap();
        fs::write(
            home.path().join("user.js"),
            // Else its clock has steps of a millisecond.
            "user_pref(\"marionette.port\", 0);\nuser_pref(\"privacy.reduceTimerPrecision\", false);\n",
        )
        .unwrap();
        let browser = Command::new("firefox-esr")
            .args([
                "--headless",
                "--marionette",
                "-remote-allow-system-access",
                "--no-remote",
            ])
            .arg("--profile")
            .arg(home.path())
            .env("HOME", home.path())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect(NO_BROWSER);
        let port = home.path().join("MarionetteActivePort");
        let port = wait_for(|| fs::read_to_string(&port).ok()?.trim().parse::<u16>().ok());
        let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        let mut firefox = Self {
            browser,
            connection: BufReader::new(stream),
            commands: 0,
            home,
        };
        firefox.answer();
        firefox.command("WebDriver:NewSession", &json!({}));
        firefox
    }

    /// Opens a page. `fragment` is the end of its address.
    pub(super) fn open(&mut self, page: &str, fragment: &str) {
        let path = self.home.path().join("report.html");
        fs::write(&path, page).unwrap();
        self.command("WebDriver:Navigate", &json!({ "url": address(&path, fragment) }));
        let ready = "return document.getElementById('heat-map').tabIndex === 0";
        let started = Instant::now();
        while self.script(ready) != json!(true) {
            assert!(started.elapsed() < PATIENCE, "the script does not start");
        }
    }

    /// Runs a script in the page and returns its result.
    pub(super) fn script(&mut self, script: &str) -> Value {
        let arguments = json!({ "script": script, "args": [] });
        self.command("WebDriver:ExecuteScript", &arguments)["value"].take()
    }

    /// Presses keys one after another, as a keyboard does.
    pub(super) fn press(&mut self, keys: &[Key]) {
        for key in keys {
            self.keys(&[(key.character(), true), (key.character(), false)]);
        }
    }

    /// Presses a key while Shift is held.
    pub(super) fn press_with_shift(&mut self, key: Key) {
        let key = key.character();
        self.keys(&[(SHIFT, true), (key, true), (key, false), (SHIFT, false)]);
    }

    /// Presses and releases keys.
    fn keys(&mut self, keys: &[(char, bool)]) {
        let action = |&(key, is_down): &(char, bool)| {
            let kind = if is_down { "keyDown" } else { "keyUp" };
            json!({ "type": kind, "value": key })
        };
        let actions: Vec<Value> = keys.iter().map(action).collect();
        let keyboard = json!([{ "type": "key", "id": "keyboard", "actions": actions }]);
        self.command("WebDriver:PerformActions", &json!({ "actions": keyboard }));
    }

    /// Shows the page as it is printed on paper of this width.
    pub(super) fn print_on(&mut self, width: u32) {
        self.command(
            "WebDriver:SetWindowRect",
            &json!({ "width": width, "height": 1000 }),
        );
        self.browser_script("gBrowser.selectedBrowser.browsingContext.mediumOverride = 'print'");
    }

    /// Returns the messages of the browser about the page. One is left out: the drawings of inferno warn while they have no width.
    pub(super) fn messages(&mut self) -> Value {
        self.browser_script(
            "return Services.console.getMessageArray().map(String).filter((text) => /report\\.html|data:|Content-Security/.test(text) && !/parsing width attribute/.test(text))",
        )
    }

    /// Runs a script in the browser itself and returns its result.
    fn browser_script(&mut self, script: &str) -> Value {
        self.command("Marionette:SetContext", &json!({ "value": "chrome" }));
        let result = self.script(script);
        self.command("Marionette:SetContext", &json!({ "value": "content" }));
        result
    }

    fn command(&mut self, name: &str, arguments: &Value) -> Value {
        self.commands += 1;
        let text = json!([0, self.commands, name, arguments]).to_string();
        write!(self.connection.get_mut(), "{}:{text}", text.len()).unwrap();
        let mut answer = self.answer();
        assert_eq!(answer[2], Value::Null, "{name}");
        answer[3].take()
    }

    fn answer(&mut self) -> Value {
        let mut length = Vec::new();
        self.connection.read_until(b':', &mut length).unwrap();
        length.pop();
        let length: usize = String::from_utf8(length).unwrap().parse().unwrap();
        let mut text = vec![0; length];
        self.connection.read_exact(&mut text).unwrap();
        serde_json::from_slice(&text).unwrap()
    }
}

impl Drop for Firefox {
    fn drop(&mut self) {
        let _ = self.browser.kill();
        let _ = self.browser.wait();
    }
}

fn address(path: &Path, fragment: &str) -> String {
    format!("file://{}#{fragment}", path.display())
}

/// Waits until there is something.
fn wait_for<T>(mut found: impl FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(found) = found() {
            return found;
        }
        assert!(started.elapsed() < PATIENCE, "Firefox does not start");
        thread::sleep(Duration::from_millis(50));
    }
}

/// Switches to a theme of the system with few colours, which replace those of pages.
const FORCE_COLORS: &str = "Services.prefs.setIntPref('ui.useAccessibilityTheme', 1); Services.prefs.setIntPref('browser.display.document_color_use', 2);";

#[test]
fn firefox_shows_the_page_selects_exact_sums_and_restores_them() {
    let page = &RUN.page;
    let mut firefox = Firefox::start();
    firefox.open(page, "");
    let drawn = "return document.querySelectorAll('#slowest figure').length";
    assert_eq!(firefox.script(drawn), json!(5));
    let selected = "return document.querySelector('#selection-causes [data-ns]')?.dataset.ns ?? null";
    assert_eq!(firefox.script(selected), Value::Null);
    firefox.script(&drag());
    let expected = json!(dragged_ns().to_string());
    assert_eq!(firefox.script(selected), expected);
    let fragment = firefox.script("return location.hash.slice(1)");
    firefox.open(page, "");
    firefox.open(page, fragment.as_str().unwrap());
    assert_eq!(firefox.script(selected), expected);
    let requests = "return performance.getEntriesByType('resource').filter(({ name }) => !name.startsWith('data:')).length";
    assert_eq!(firefox.script(requests), json!(0));
    firefox.browser_script(FORCE_COLORS);
    assert_causes_keep_their_colors(&mut firefox);
    assert_eq!(firefox.messages(), json!([]));
}

/// Checks that causes can be told apart with forced colours, and that commits can be selected.
fn assert_causes_keep_their_colors(firefox: &mut Firefox) {
    firefox.open(&RUN.page, "");
    let forced = "return matchMedia('(forced-colors: active)').matches";
    assert_eq!(firefox.script(forced), json!(true));
    let changed = "return [...document.querySelectorAll('.legend i')].filter((mark) => mark.style.backgroundColor.startsWith('rgb') && getComputedStyle(mark).backgroundColor !== mark.style.backgroundColor).length";
    assert_eq!(firefox.script(changed), json!(0));
    let several = "return new Set([...document.querySelectorAll('.legend i')].map((mark) => getComputedStyle(mark).backgroundColor)).size > 3";
    assert_eq!(firefox.script(several), json!(true));
    firefox.script(&drag());
    let selected = "return document.querySelector('#selection-causes [data-ns]')?.dataset.ns ?? null";
    assert_eq!(firefox.script(selected), json!(dragged_ns().to_string()));
}
