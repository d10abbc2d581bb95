//! The page by the keyboard alone, with the keys of a real keyboard as Firefox gets them.

use serde_json::json;

use super::firefox::{Firefox, Key};
use super::selection::RUN;

/// Says what has the focus: its role or its name, and its place.
const FOCUSED: &str = "const at = document.activeElement;
    return at.id || at.getAttribute('role') || (at.classList.contains('wide') ? 'wide' : at.localName)";

/// Says the words of the part that has the focus, and the line below its picture.
const SAID: &str = "const at = document.activeElement;
    const line = at.closest('[role=tree], [role=grid]').nextElementSibling.textContent;
    return [at.getAttribute('aria-label'), line]";

/// Says where the part that has the focus is: its distance from the top, and its left end.
const PLACE: &str =
    "const box = document.activeElement.getBoundingClientRect(); return [box.top + scrollY, box.left]";

fn focused(firefox: &mut Firefox) -> String {
    firefox.script(FOCUSED).as_str().unwrap().to_owned()
}

/// Presses Tab until something has the focus, and returns what had it before.
fn tab_to(firefox: &mut Firefox, wanted: &str) -> Vec<String> {
    let mut stops = Vec::new();
    for _ in 0..40 {
        firefox.press(&[Key::Tab]);
        match focused(firefox) {
            stop if stop == wanted => return stops,
            stop => stops.push(stop),
        }
    }
    panic!("Tab does not reach {wanted}, but {stops:?}");
}

/// Returns the words of the focused part, and checks that they are the line below.
fn said(firefox: &mut Firefox) -> String {
    let both = firefox.script(SAID);
    assert_eq!(both[0], both[1], "the line says what has the focus");
    both[0].as_str().unwrap().to_owned()
}

/// Returns the distance of the focused part from the top, and its left end.
fn place(firefox: &mut Firefox) -> (f64, f64) {
    let place = firefox.script(PLACE);
    (place[0].as_f64().unwrap(), place[1].as_f64().unwrap())
}

fn assert_flame_graph(firefox: &mut Firefox) {
    let whole = said(firefox);
    assert!(
        whole.starts_with("commit: ") && whole.ends_with("100.0 %"),
        "{whole}"
    );
    let (top, left) = place(firefox);
    firefox.press(&[Key::Down]);
    let who = said(firefox);
    assert!(who.ends_with("in commit"), "{who}");
    let (below, same) = place(firefox);
    assert!(
        below > top && (same - left).abs() < 1.0,
        "down leads to the first part"
    );
    firefox.press(&[Key::Down]);
    assert!(said(firefox).contains(", in commit › "), "{}", said(firefox));
    firefox.press(&[Key::End]);
    let (level, right) = place(firefox);
    firefox.press(&[Key::Home]);
    assert_eq!(place(firefox), (level, left));
    assert!(right > left, "a row has several parts");
    firefox.press(&[Key::Right]);
    let (same, further) = place(firefox);
    assert!(
        (same - level).abs() < 1.0 && further > left,
        "right leads along the row"
    );
    firefox.press(&[Key::Left, Key::Up]);
    assert_eq!(said(firefox), who);
    firefox.press(&[Key::Up, Key::Up]);
    assert_eq!(said(firefox), whole, "there is nothing above the whole");
}

/// Says the values of the chart that has the focus, and those beside it.
const VALUES: &str = "const at = document.activeElement;
    const tip = document.querySelector('.tip');
    return [at.getAttribute('aria-valuetext'), tip.hidden ? '' : tip.querySelector('p').textContent]";

/// Checks that arrows lead from column to column of a chart, whose values are said and shown.
fn assert_chart(firefox: &mut Firefox) {
    let mut values = || {
        let both = firefox.script(VALUES);
        let [said, shown] = [0, 1].map(|at| both[at].as_str().unwrap().to_owned());
        assert!(!shown.is_empty() && said.starts_with(&shown), "{said}, {shown}");
        assert!(said.contains("done ") && said.contains("due "), "{said}");
        firefox.press(&[Key::Right]);
        shown
    };
    let [first, second] = [values(), values()];
    assert!(first.starts_with("0 to ") && second != first, "{first}, {second}");
}

fn assert_timeline(firefox: &mut Firefox) {
    let first = said(firefox);
    assert!(first.contains("its own): critical path, "), "{first}");
    let (lane, _) = place(firefox);
    firefox.press(&[Key::Right]);
    assert_ne!(said(firefox), first);
    firefox.press(&[Key::Down]);
    let other = said(firefox);
    assert!(!other.contains("its own): "), "{other}");
    assert!(place(firefox).0 > lane);
    firefox.press(&[Key::Up]);
    assert!(said(firefox).contains("its own): "), "{}", said(firefox));
}

#[test]
fn all_of_the_page_is_reached_and_read_by_the_keyboard() {
    let mut firefox = Firefox::start();
    firefox.open(&RUN.page, "");
    tab_to(&mut firefox, "heat-map");
    firefox.press(&[Key::Enter]);
    let selected = "return document.querySelector('#selection-causes [data-ns]').dataset.ns";
    let commits = RUN.over_time.causes.cells.iter().map(|cell| cell.ns).sum::<u64>();
    assert_eq!(firefox.script(selected), json!(commits.to_string()));
    firefox.press(&[Key::Tab]);
    assert_eq!(focused(&mut firefox), "button");
    tab_to(&mut firefox, "rates");
    assert_chart(&mut firefox);
    let charts = tab_to(&mut firefox, "treeitem");
    assert!(charts.contains(&"under-way".to_owned()), "{charts:?}");
    assert_flame_graph(&mut firefox);
    // One stop for each table, folded part and button.
    let stops = tab_to(&mut firefox, "button");
    // The causes may have small ones that are folded.
    let tables: Vec<&String> = stops.iter().filter(|stop| *stop != "summary").collect();
    assert_eq!(tables, ["wide"; 4], "{stops:?}");
    firefox.press(&[Key::Tab]);
    assert_eq!(focused(&mut firefox), "button");
    // That of a commit that waited for another thread.
    tab_to(&mut firefox, "gridcell");
    while firefox.script("return document.activeElement.closest('[role=grid]').children.length") == json!(1) {
        tab_to(&mut firefox, "gridcell");
    }
    assert_timeline(&mut firefox);
    firefox.press(&[Key::Tab]);
    assert_eq!(focused(&mut firefox), "summary");
    firefox.press(&[Key::Enter]);
    assert_eq!(
        firefox.script("return document.activeElement.parentElement.open"),
        json!(true)
    );
    firefox.press_with_shift(Key::Tab);
    assert_eq!(focused(&mut firefox), "gridcell");
    assert!(
        said(&mut firefox).contains("its own): "),
        "Tab leads back to where the focus was"
    );
    for _ in 0..30 {
        firefox.press_with_shift(Key::Tab);
        if focused(&mut firefox) == "heat-map" {
            break;
        }
    }
    firefox.press(&[Key::Escape]);
    assert_eq!(
        firefox.script("return document.getElementById('selection').hidden"),
        json!(true)
    );
    assert_eq!(firefox.messages(), json!([]));
}
