//! List of the sections of a page, with links to them.

use std::fmt::Write;

/// Place of the list in a page.
const PLACE: &str = "<!--contents-->";

/// Beginning of a section that the list names.
const SECTION: &str = "<section id=\"";

/// Puts the list of the sections that have an id into a page, by these ids: it can name no section that is not there. A section that
/// only a script shows has a link that only a script shows.
pub fn with_contents(page: &str) -> String {
    let links = page.split(SECTION).skip(1).filter_map(|rest| {
        let (tag, _) = rest.split_once('>')?;
        let (id, attributes) = tag.split_once('"')?;
        let hidden = if attributes.contains("hidden") {
            " class=\"with-script\" hidden"
        } else {
            ""
        };
        Some((id, hidden))
    });
    let mut list = String::new();
    for (id, hidden) in links {
        // Writing to a string cannot fail.
        let _ = write!(
            list,
            "<li{hidden}><a href=\"#{id}\">{}</a></li>",
            id.replace('-', " ")
        );
    }
    page.replacen(
        PLACE,
        &format!("<nav aria-label=\"Contents\"><ul>{list}</ul></nav>"),
        1,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_section_with_an_id_has_a_link_in_their_order() {
        let page = "<h1>a</h1><!--contents--><section id=\"over-time\" class=\"a\">x</section><section>y</section>\
                    <section id=\"single-commits\" class=\"with-script\" hidden>z</section>";
        let shown = with_contents(page);
        assert!(
            shown.starts_with(
                "<h1>a</h1><nav aria-label=\"Contents\"><ul><li><a href=\"#over-time\">over time</a></li>\
                 <li class=\"with-script\" hidden><a href=\"#single-commits\">single commits</a></li></ul></nav><section"
            ),
            "{shown}"
        );
        assert_eq!(with_contents("<p>no place</p>"), "<p>no place</p>");
    }
}
