//! Commits are selected in the heat map of a real run: by the pointer, by the keyboard and by the address.

use std::fs;
use std::ops::Range;
use std::sync::LazyLock;

use logtrace_attribution::breakdown::OverTime;
use logtrace_report::document::Document;

use super::browser::open;
use crate::common::{beside_others, logtrace, run};

/// A run as it is shown.
pub(super) struct Pages {
    pub(super) page: String,
    /// Page of the comparison of the run with itself.
    pub(super) comparison: String,
    pub(super) document: Document,
    pub(super) over_time: OverTime,
}

pub(super) static RUN: LazyLock<Pages> = LazyLock::new(|| {
    let _turn = beside_others();
    let ran = run("--rate 200/s --duration 3s --warmup 300ms --rows 2000 --server mariadb");
    let document = ran.good();
    let sums = document.sums();
    let over_time = fs::read_to_string(ran.file("over-time.json")).unwrap();
    let dirs = [ran.file(""), ran.file("")];
    let mut compare = logtrace();
    compare.arg("compare").args(dirs).args(["--format", "html"]);
    Pages {
        page: fs::read_to_string(ran.file("report.html")).unwrap(),
        comparison: crate::common::printed(&mut compare),
        document,
        over_time: OverTime::parse(&over_time, sums).unwrap(),
    }
});

/// Time of the commits that ended in these columns.
fn in_columns(columns: &Range<u64>) -> u64 {
    let cells = RUN.over_time.causes.cells.iter();
    cells
        .filter(|cell| columns.contains(&cell.column))
        .map(|cell| cell.ns)
        .sum()
}

/// Functions that work as the pointer and the keyboard do.
const HANDS: &str = "const map = document.getElementById('heat-map');
        map.setPointerCapture = () => {};
        const pointer = (type, x, y, more = {}) => {
          const box = map.getBoundingClientRect();
          const place = { clientX: box.left + x * box.width, clientY: box.top + y * box.height };
          map.dispatchEvent(new PointerEvent(type, { bubbles: true, button: 0, ...place, ...more }));
        };
        const finger = (type, x, y) => pointer(type, x, y, { pointerType: 'touch', isPrimary: true });
        const press = (key, shiftKey = false) => map.dispatchEvent(new KeyboardEvent('keydown', { key, shiftKey }));";

/// Does something with the page when its script has read the data.
fn when_ready(work: &str) -> String {
    format!(
        "{HANDS}
        const wait = setInterval(() => {{
          if (map.tabIndex !== 0) return;
          clearInterval(wait);
          {work}
          document.body.dataset.address = location.hash;
        }}, 10);"
    )
}

/// Columns that are dragged.
const DRAGGED: Range<u64> = 4..13;

/// Returns a script that drags from the middle of the last one of the columns to that of the first one, over all durations.
fn dragging() -> String {
    let columns = (RUN.over_time.causes.cells.last().unwrap().column + 1).max(30);
    let at = |column: u64| (column as f64 + 0.5) / columns as f64;
    let (from, to) = (at(DRAGGED.end - 1), at(DRAGGED.start));
    format!(
        "pointer('pointerdown', {from}, 0.001); pointer('pointermove', 0.5, 0.5); pointer('pointermove', {to}, 0.999); pointer('pointerup', {to}, 0.999);"
    )
}

/// Returns a script that drags at once.
pub(super) fn drag() -> String {
    format!("{HANDS} {}", dragging())
}

/// Returns the time of the commits that are dragged.
pub(super) fn dragged_ns() -> u64 {
    in_columns(&DRAGGED)
}

#[test]
fn the_page_shows_all_without_a_request_and_without_an_error() {
    let shown = open(&RUN.page, "", "");
    assert_eq!(shown.messages, [""; 0]);
    assert_eq!(shown.selected_ns(), None);
    let drawn = shown.html.matches("<figcaption>").count();
    let own = shown.html.matches("its own)</span>").count();
    assert!(
        own == 5 && drawn >= 5,
        "{own} own threads in {drawn} figures: the five slowest commits are drawn"
    );
    // Whether one of them waited for another thread is chance: crates/report/page/tests.js tests the lines between lanes.
    for part in ["class=\"path\"", "class=\"call\""] {
        assert!(shown.html.contains(part), "no {part} in the timelines");
    }
}

#[test]
fn a_rectangle_that_is_dragged_has_the_sums_of_its_commits() {
    let shown = open(&RUN.page, "", &when_ready(&dragging()));
    assert_eq!(shown.messages, [""; 0]);
    assert_eq!(shown.selected_ns(), Some(dragged_ns()));
    assert!(
        shown.html.contains("data-address=\"#t=0.4-1.3&amp;d="),
        "the address names it"
    );
}

#[test]
fn an_address_shows_its_selection_again() {
    let shown = open(&RUN.page, "t=0.4-1.3&d=0-100000000", "");
    assert_eq!(shown.messages, [""; 0]);
    assert_eq!(shown.selected_ns(), Some(dragged_ns()));
}

#[test]
fn the_keyboard_selects_moves_widens_and_ends() {
    let columns = (RUN.over_time.causes.cells.last().unwrap().column + 1).max(30);
    let selected = |keys: &str| open(&RUN.page, "", &when_ready(keys));
    let last = selected("press('ArrowLeft');");
    assert_eq!(last.selected_ns(), Some(in_columns(&(columns - 1..columns))));
    let wider = selected("press('ArrowLeft'); press('ArrowLeft'); press('ArrowRight', true);");
    assert_eq!(wider.selected_ns(), Some(in_columns(&(columns - 2..columns))));
    assert_eq!(
        selected("press('ArrowLeft'); press('Escape');").selected_ns(),
        None
    );
}

#[test]
fn a_finger_that_goes_sideways_selects_a_time_and_one_that_scrolls_nothing() {
    let columns = (RUN.over_time.causes.cells.last().unwrap().column + 1).max(30);
    let at = |column: u64| (column as f64 + 0.5) / columns as f64;
    let (from, to) = (at(DRAGGED.start), at(DRAGGED.end - 1));
    let selected = |moves: &str| {
        let shown = open(&RUN.page, "", &when_ready(moves));
        assert_eq!(shown.messages, [""; 0]);
        shown.selected_ns()
    };
    let sideways = format!(
        "finger('pointerdown', {from}, 0.5); finger('pointermove', {to}, 0.55); finger('pointerup', {to}, 0.55);"
    );
    assert_eq!(
        selected(&sideways),
        Some(dragged_ns()),
        "all durations of the time"
    );
    let from_50_px = "const box = map.getBoundingClientRect();
        const by = (right, down) => [0.5 + right / box.width, 0.2 + down / box.height];
        const drag = (end, ...ways) => {
          finger('pointerdown', ...by(0, 0));
          for (const way of ways) finger('pointermove', ...by(...way));
          finger(end, ...by(...ways.at(-1)));
        };";
    let diagonal = "drag('pointerup', [10, 10], [50, 50], [200, 60]);";
    // The browser scrolls, and says that it took the finger.
    let scrolling = "drag('pointercancel', [0, 10], [0, 60]);";
    let taken_late = "drag('pointercancel', [50, 0], [80, 40]);";
    for way in [diagonal, scrolling, taken_late] {
        assert_eq!(selected(&format!("{from_50_px} {way}")), None, "{way}");
        let before = selected(&format!("{sideways} {from_50_px} {way}"));
        assert_eq!(before, Some(dragged_ns()), "what was selected stays: {way}");
    }
}

#[test]
fn a_pointer_reads_the_numbers_below_it() {
    // The fullest cell of the picture, and each chart in its middle.
    let read = "const said = [];
        const point = (plot, x, y) => {
          const box = plot.getBoundingClientRect();
          const place = { clientX: box.left + x * box.width, clientY: box.top + y * box.height };
          plot.dispatchEvent(new PointerEvent('pointermove', { bubbles: true, buttons: 0, pointerType: 'mouse', ...place }));
          const tip = document.querySelector('.tip');
          said.push(tip.hidden ? 'nothing' : tip.innerText.replaceAll('\\n', ' '));
        };
        let commits = 0;
        const rows = map.dataset.last - map.dataset.first + 1;
        const columns = map.dataset.end / map.dataset.column;
        for (let row = 0; row < rows; row += 1)
          for (let column = 0; column < columns; column += 1) {
            point(map, (column + 0.5) / columns, (row + 0.5) / rows);
            commits += Number(/([\\d,]+)$/.exec(said.pop().trim())[1].replaceAll(',', ''));
          }
        for (const id of ['rates', 'under-way', 'by-percentile', 'response-map']) point(document.getElementById(id), 0.5, 0.5);
        document.body.dataset.read = commits + '; ' + said.join('; ');";
    let shown = open(&RUN.page, "", &when_ready(read));
    assert_eq!(shown.messages, [""; 0]);
    let (_, read) = shown.html.split_once("data-read=\"").unwrap();
    let read: Vec<&str> = read.split_once('"').unwrap().0.split("; ").collect();
    let commits = RUN.document.commits.as_ref().unwrap().count;
    assert_eq!(
        read[0],
        commits.to_string(),
        "the cells have all commits: {read:?}"
    );
    for (said, word) in read[1..].iter().zip(["done", "under way", "mean", "request"]) {
        assert!(said.contains(word), "{read:?}");
    }
}
