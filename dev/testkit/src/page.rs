//! Markup of a page, for golden tests.

/// Returns a page without the contents of its styles and scripts and without the digests of these in its policy.
///
/// Several crates share the styles and scripts, and browsers test them: a golden file with them would change with
/// another crate's styles, and nobody reviews them there.
#[must_use]
pub fn markup(page: &str) -> String {
    let page = emptied(page, "<style", "</style>");
    let page = emptied(&page, "<script", "</script>");
    emptied(&page, "'sha256-", "'")
}

/// Empties all that `begin` opens and `end` closes. A tag keeps its attributes.
fn emptied(text: &str, begin: &str, end: &str) -> String {
    let mut parts = text.split(begin);
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (inside, rest) = part.split_once(end).unwrap_or((part, ""));
        let attributes = inside
            .split_once('>')
            .map_or(0, |(attributes, _)| attributes.len() + 1);
        kept += begin;
        kept += &inside[..attributes];
        kept += end;
        kept += rest;
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::markup;

    #[test]
    fn styles_scripts_and_digests_are_left_out() {
        let page = "<meta content=\"style-src 'sha256-a=' 'sha256-b='\"><style>p { }</style><p>It</p><script id=\"data\">x > 1</script>!";
        assert_eq!(
            markup(page),
            "<meta content=\"style-src 'sha256-' 'sha256-'\"><style></style><p>It</p><script id=\"data\"></script>!"
        );
    }
}
