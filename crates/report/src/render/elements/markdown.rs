//! Elements as Markdown.

use logtrace_common::inert::markdown as escaped;

use crate::render::elements::element::Element;

/// Returns groups of elements as Markdown.
pub fn draw_markdown(groups: Vec<Vec<Element>>) -> String {
    let elements = groups.into_iter().flatten().map(drawn);
    elements.collect::<Vec<_>>().join("\n\n") + "\n"
}

fn drawn(element: Element) -> String {
    match element {
        Element::Title(text) => format!("# {}", escaped(&text)),
        Element::Answer(title, answer) => format!("# {}\n\n{}", escaped(&title), escaped(&answer)),
        Element::Heading(text) => format!("## {}", escaped(&text)),
        Element::Subheading(text) => format!("### {}", escaped(&text)),
        Element::Text(text) => escaped(&text),
        Element::Table(header, rows) => table(&header, &rows, "---:"),
        Element::Causes(entries, causes) => {
            let causes: Vec<_> = causes
                .into_iter()
                .map(|(entry, shares)| vec![entry, shares])
                .collect();
            table(&[entries, "causes of waiting".to_owned()], &causes, "---")
        }
        Element::SameCauses => "The causes are the same as above.".to_owned(),
        Element::Notes(items) | Element::Stalls(items) => list(&items),
        Element::Curves(curves) => format!("Requests in each second:\n\n{}", list(&curves)),
    }
}

/// Draws a table with words in the first column. `rule` aligns the others.
fn table(header: &[String], rows: &[Vec<String>], rule: &str) -> String {
    let rules = format!(
        "| --- |{}",
        format!(" {rule} |").repeat(header.len().saturating_sub(1))
    );
    let rows = rows.iter().map(|row| line(row));
    let lines = [line(header), rules].into_iter().chain(rows);
    lines.collect::<Vec<_>>().join("\n")
}

fn line(cells: &[String]) -> String {
    let cells: Vec<String> = cells
        .iter()
        .map(|cell| escaped(&cell.replace('\n', " · ")))
        .collect();
    format!("| {} |", cells.join(" | "))
}

fn list(items: &[String]) -> String {
    let items: Vec<String> = items.iter().map(|item| format!("- {}", escaped(item))).collect();
    items.join("\n")
}
