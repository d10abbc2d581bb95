//! The page on paper, and in a window as narrow as a telephone.

use logtrace_common::units;
use serde_json::json;

use super::browser::{
    NOTEBOOK, TELEPHONE, Theme, below_the_first_screen, height, printed, scrolled_on_a_telephone,
    wider_than_a_telephone,
};
use super::firefox::Firefox;
use super::selection::RUN;

/// Width of a sheet of A4 between its margins, in pixels of a browser.
const SHEET: u32 = 720;

#[test]
fn paper_has_all_words_and_a_browser_without_scripts_all_but_the_selection() {
    // Lines end anywhere.
    let on_one_line = |words: &str| words.split_whitespace().collect::<Vec<_>>().join(" ");
    let [with, without] =
        [true, false].map(|has_scripts| on_one_line(&printed(&RUN.page, has_scripts, Theme::Light).words));
    let commits = RUN.document.commits.as_ref().unwrap();
    let mean = units::mean_duration(commits.total, commits.count);
    let answer = format!("A commit takes {mean} on average");
    let slowest = format!("The slowest took {}", units::duration(commits.distribution.max));
    for (words, has_scripts) in [(&with, true), (&without, false)] {
        for part in [
            answer.as_str(),
            slowest.as_str(),
            "Requests a second",
            "Commits from the shortest to the longest",
            "Where commits waited",
            "data writeback",
            // Of the list that is folded on a screen.
            "own \u{203a} ",
        ] {
            assert!(words.contains(part), "{has_scripts}: no {part} in {words}");
        }
        assert_eq!(words.contains("Single commits"), has_scripts, "{words}");
        assert!(!words.contains("Drag a rectangle"), "{words}");
    }
}

#[test]
fn paper_is_light_and_the_same_whatever_the_screen_is() {
    let [light, dark] = [Theme::Light, Theme::Dark].map(|theme| printed(&RUN.page, true, theme).points);
    let bright = dark.iter().filter(|&&point| point > 250).count();
    assert!(10 * bright > 6 * dark.len(), "{bright} of {}", dark.len());
    let drawn = dark.iter().filter(|&&point| point < 200).count();
    assert!(100 * drawn > dark.len(), "the pictures are printed");
    // The browser prints the time and the name of the file, too.
    let others = light
        .iter()
        .zip(&dark)
        .filter(|(one, other)| one.abs_diff(**other) > 40);
    let others = others.count();
    assert!(200 * others < dark.len(), "{others} of {} differ", dark.len());
}

#[test]
fn paper_cuts_nothing() {
    let mut firefox = Firefox::start();
    firefox.open(&RUN.page, "t=0.4-1.3&d=0-100000000");
    firefox.print_on(SHEET);
    assert_eq!(firefox.script("return matchMedia('print').matches"), json!(true));
    let cut = "return [...document.querySelectorAll('main *')]
        .filter((one) => getComputedStyle(one).overflowX !== 'visible' && one.scrollWidth > one.clientWidth + 1)
        .filter((one) => !one.matches('.icicle *, .lane span'))
        .map((one) => one.localName + '.' + one.className)";
    assert_eq!(firefox.script(cut), json!([]));
    let over =
        "return Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)";
    assert_eq!(firefox.script(over), json!(0));
    let folded = "return [...document.querySelectorAll('details > ol, details > pre')].filter((one) => !one.checkVisibility({ contentVisibilityAuto: true })).length";
    assert_eq!(firefox.script(folded), json!(0));
}

#[test]
fn pages_fit_a_telephone() {
    for fragment in ["", "t=0.4-1.3&d=0-100000000"] {
        assert_eq!(wider_than_a_telephone(&RUN.page, fragment), "", "{fragment}");
    }
    assert_eq!(wider_than_a_telephone(&RUN.comparison, ""), "");
    let too_wide = RUN
        .comparison
        .replace("</main>", "<p style=\"width: 500px\">wide</p></main>");
    assert_ne!(wider_than_a_telephone(&too_wide, ""), "");
}

#[test]
fn nothing_is_scrolled_sideways_on_a_telephone() {
    for page in [&RUN.page, &RUN.comparison] {
        assert_eq!(scrolled_on_a_telephone(page), "");
    }
    let wide = "<div style=\"overflow-x: auto\"><p style=\"width: 500px\">wide</p></div></main>";
    assert_eq!(
        scrolled_on_a_telephone(&RUN.page.replace("</main>", wide)),
        ": wide"
    );
}

#[test]
fn the_first_screen_has_the_answer_the_figures_what_to_change_and_the_heat_map() {
    let wanted = [".answer", ".tiles", ".next", "#heat-map"];
    for window in [NOTEBOOK, TELEPHONE] {
        assert_eq!(
            below_the_first_screen(&RUN.page, window, &wanted),
            "",
            "{window:?}"
        );
        let settings = below_the_first_screen(&RUN.page, window, &["#settings"]);
        assert!(settings.starts_with("#settings,"), "{settings}");
    }
}

#[test]
fn a_telephone_scrolls_few_screens() {
    let height = height(&RUN.page, TELEPHONE);
    assert!(height < 14 * TELEPHONE.1, "{height} pixels");
}
