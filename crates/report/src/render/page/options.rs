//! Options of the command line in the texts of a page, which a browser would break after their hyphens.

/// Returns the parts of a text, and of each whether it is an option with the word after it, which stay on one line.
pub(crate) fn with_options(text: &str) -> Vec<(bool, String)> {
    let mut parts: Vec<(bool, String)> = Vec::new();
    let mut words = text.split_inclusive(' ');
    while let Some(word) = words.next() {
        if !is_option(word) {
            match parts.last_mut() {
                Some((false, before)) => before.push_str(word),
                _ => parts.push((false, word.to_owned())),
            }
            continue;
        }
        let with_value = word.to_owned() + words.next().unwrap_or_default();
        let whole = with_value.trim_end_matches(' ');
        parts.push((true, whole.to_owned()));
        if whole.len() < with_value.len() {
            parts.push((false, " ".to_owned()));
        }
    }
    parts
}

fn is_option(word: &str) -> bool {
    let name = word.trim_start_matches('(').strip_prefix("--");
    name.is_some_and(|name| name.starts_with(|first: char| first.is_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_stays_with_its_value() {
        let parts = with_options("No setting: --detail full names the -- functions (--detail io).");
        let parts: Vec<_> = parts
            .iter()
            .map(|(is_one, part)| (*is_one, part.as_str()))
            .collect();
        assert_eq!(
            parts,
            [
                (false, "No setting: "),
                (true, "--detail full"),
                (false, " names the -- functions "),
                (true, "(--detail io)."),
            ]
        );
        assert_eq!(
            with_options("with --max"),
            [(false, "with ".to_owned()), (true, "--max".to_owned())]
        );
    }
}
