//! Text of servers, files and users, made harmless for what shows it: terminals, Markdown, CSV, HTML and JSON.
//!
//! Names of files, versions, error messages and frames come from elsewhere. A control character in them commands a
//! terminal, and a bidirectional one shows text in another order than it has.

/// Sequences that colour a report. No other command reaches a terminal.
const STYLES: [&str; 7] = [
    "\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[4m", "\x1b[33m", "\x1b[36m", "\x1b[31m",
];

/// Returns whether a character only stands for itself.
pub fn is_inert(c: char) -> bool {
    let commands_order = matches!(
        c,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    );
    !c.is_control() && !commands_order
}

/// Returns text of one line: all other characters are blanks.
pub fn line(text: &str) -> String {
    text.chars().map(|c| if is_inert(c) { c } else { ' ' }).collect()
}

/// Returns text of one line that has at most so many characters, and dots where more were cut off.
pub fn shortened(text: &str, most: usize) -> String {
    let text = line(text);
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}...", text[..end].trim_end()),
        None => text,
    }
}

/// Returns text of several lines.
pub fn lines(text: &str) -> String {
    text.chars()
        .map(|c| if is_inert(c) || c == '\n' { c } else { ' ' })
        .collect()
}

/// Returns text of several lines for a terminal, with the styles of a report.
pub fn terminal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\x1b') {
        let (before, command) = rest.split_at(at);
        out.push_str(&lines(before));
        match STYLES.iter().find(|style| command.starts_with(**style)) {
            Some(style) => {
                out.push_str(style);
                rest = &command[style.len()..];
            }
            None => {
                out.push(' ');
                rest = &command[1..];
            }
        }
    }
    out + &lines(rest)
}

/// Returns text of one line for Markdown: it neither ends its cell nor is read as markup.
pub fn markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut is_in_word = false;
    while let Some(c) = chars.next() {
        match c {
            // Within a word it is no markup, and names of variables have many.
            '_' if is_in_word && chars.peek().is_some_and(|next| next.is_alphanumeric()) => out.push(c),
            '|' | '*' | '`' | '<' | '[' | '_' | '\\' => out.extend(['\\', c]),
            c if is_inert(c) => out.push(c),
            _ => out.push(' '),
        }
        is_in_word = c.is_alphanumeric();
    }
    out
}

/// Returns text for a cell of CSV: a spreadsheet does not take it for a formula.
pub fn csv(text: &str) -> String {
    let text = line(text);
    match text.trim_start().starts_with(['=', '+', '-', '@']) {
        true => format!("'{text}"),
        false => text,
    }
}

/// Returns JSON with the same content: what is not inert is written by its number. It stands only in strings there.
pub fn json(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            c if is_inert(c) || c == '\n' => out.push(c),
            // All of these have four digits at most.
            c => out.extend(format!("\\u{:04x}", u32::from(c)).chars()),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Text with many of the characters that matter.
    fn hostile() -> impl Strategy<Value = String> {
        let special = proptest::sample::select(vec![
            "\x1b]0;title\x07",
            "\x1b[2J",
            "\x1b[31m",
            "\x1b[8m",
            "\u{9b}2J",
            "\u{202e}",
            "\u{2066}",
            "\u{200f}",
            "\r",
            "\n",
            "\0",
            "\x7f",
            "=1+1",
            "@",
            "-",
            "|",
            "`",
            "<img onerror=x>",
            "\\",
            "\u{2028}",
            "é",
            "a",
        ]);
        let pieces = prop_oneof![special.prop_map(str::to_owned), any::<String>()];
        proptest::collection::vec(pieces, 0..8).prop_map(|pieces| pieces.concat())
    }

    fn is_line(text: &str) -> bool {
        text.chars().all(is_inert)
    }

    proptest! {
        #[test]
        fn a_line_is_inert_and_as_long(text in hostile()) {
            let shown = line(&text);
            prop_assert!(is_line(&shown));
            prop_assert_eq!(shown.chars().count(), text.chars().count());
        }

        #[test]
        fn a_terminal_gets_lines_and_styles_alone(text in hostile()) {
            let mut shown = terminal(&text);
            for style in STYLES {
                shown = shown.replace(style, "");
            }
            prop_assert!(shown.split('\n').all(is_line), "{shown:?}");
        }

        #[test]
        fn markdown_has_no_markup_of_others(text in hostile()) {
            let shown = markdown(&text);
            prop_assert!(is_line(&shown));
            let mut is_escaped = false;
            for c in shown.chars() {
                prop_assert!(is_escaped || !matches!(c, '|' | '*' | '`' | '<' | '['), "{shown}");
                is_escaped = c == '\\' && !is_escaped;
            }
        }

        #[test]
        fn no_cell_is_a_formula(text in hostile()) {
            let shown = csv(&text);
            prop_assert!(is_line(&shown) && !shown.trim_start().starts_with(['=', '+', '-', '@']));
        }

        #[test]
        fn json_keeps_its_content(text in hostile()) {
            let written = json(&serde_json::to_string(&text).unwrap());
            prop_assert!(is_line(&written));
            prop_assert_eq!(serde_json::from_str::<String>(&written).unwrap(), text);
        }
    }

    #[test]
    fn long_texts_are_cut_between_characters() {
        assert_eq!(shortened("a\x1b[2J", 5), "a [2J");
        assert_eq!(shortened("éééé", 3), "ééé...");
        assert_eq!(shortened("éé é", 3), "éé...");
    }

    #[test]
    fn commands_are_blanks_and_styles_stay() {
        assert_eq!(
            terminal("\x1b[1mtotal\x1b[0m\x1b[2Jx\n"),
            "\x1b[1mtotal\x1b[0m [2Jx\n"
        );
        assert_eq!(line("a\u{202e}b\tc"), "a b c");
        assert_eq!(
            (csv("=1"), csv("a-1"), csv(" @x")),
            ("'=1".into(), "a-1".into(), "' @x".into())
        );
    }
}
