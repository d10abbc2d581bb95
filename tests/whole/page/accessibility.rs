//! Accessibility of the pages of real runs, checked by axe-core (tests/whole/page/axe), in light and in dark.

use super::browser::{Theme, open_as};
use super::selection::RUN;

const AXE: &str = include_str!("axe/axe.min.js");

/// Leaves what a checker finds serious or critical as an attribute of the page.
const CHECK: &str = "
axe.run(document, { resultTypes: ['violations'] }).then((found) => {
  const serious = found.violations.filter((one) => ['serious', 'critical'].includes(one.impact));
  const texts = serious.map((one) => one.id + ': ' + one.nodes.map((node) => node.html.slice(0, 200)).join(' | '));
  document.body.dataset.found = found.passes.length + ' ' + texts.join(' ;; ');
});";

/// Returns the serious findings, and checks that rules were applied at all.
fn serious(page: &str, fragment: &str, theme: Theme) -> String {
    let shown = open_as(page, fragment, &format!("{AXE}\n{CHECK}"), theme);
    let (_, found) = shown.html.split_once("data-found=\"").expect("the checker ended");
    let (found, _) = found.split_once('"').unwrap();
    let (passed, findings) = found.split_once(' ').unwrap();
    assert!(passed.parse::<u32>().unwrap() > 10, "{found}");
    findings.to_owned()
}

/// Checks that a page has no serious finding, in light and in dark.
pub(crate) fn assert_accessible(page: &str, fragment: &str) {
    for theme in [Theme::Light, Theme::Dark] {
        assert_eq!(serious(page, fragment, theme), "", "{theme:?} {fragment}");
    }
}

#[test]
fn the_page_of_a_run_has_no_serious_finding_with_and_without_a_selection() {
    for fragment in ["", "t=0.4-1.3&d=0-100000000"] {
        assert_accessible(&RUN.page, fragment);
    }
}

#[test]
fn the_page_of_a_comparison_has_no_serious_finding() {
    // It allows no script; the checker is one.
    let allowed = RUN.comparison.replace(
        "default-src 'none'; ",
        "default-src 'none'; script-src 'nonce-none'; ",
    );
    assert_ne!(allowed, RUN.comparison);
    assert_accessible(&allowed, "");
}

/// Leaves the colours of the waits that are shown, with their contrast to the page, as an attribute.
const CONTRASTS: &str = "
const light = (color) => {
  const [red, green, blue] = /(\\d+), (\\d+), (\\d+)/.exec(color).slice(1).map((byte) => byte / 255)
    .map((share) => share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05;
};
const paper = light(getComputedStyle(document.body).backgroundColor);
const marks = [...document.querySelectorAll('.legend i, .tree i, .stack span')].map((mark) => getComputedStyle(mark).backgroundColor);
const contrasts = [...new Set(marks)].map((color) => Math.max(light(color) / paper, paper / light(color)));
document.body.dataset.found = contrasts.length + ' ' + Math.min(...contrasts);";

#[test]
fn colors_of_waits_stand_out_in_light_and_in_dark() {
    for theme in [Theme::Light, Theme::Dark] {
        let shown = open_as(&RUN.page, "", CONTRASTS, theme);
        let (_, found) = shown.html.split_once("data-found=\"").unwrap();
        let (colors, least) = found.split_once('"').unwrap().0.split_once(' ').unwrap();
        assert!(colors.parse::<u32>().unwrap() > 3, "{found}");
        assert!(least.parse::<f64>().unwrap() >= 1.5, "{theme:?}: {least}");
    }
}
