//! Statements without their values.

/// Returns a statement with `?` in the place of each value, and without comments: what a server calls its digest.
///
/// No part of a value may remain, whatever the statement and the server's `sql_mode` are. A text within double quotes is taken
/// for a value, though it may be a name (`ANSI_QUOTES`). A backslash in a value may escape its end or not
/// (`NO_BACKSLASH_ESCAPES`), so the rest of such a statement is left out.
pub(crate) fn statement_digest(statement: &str) -> String {
    let mut digest = StatementDigest::default();
    let mut rest = statement;
    while let Some(first) = rest.chars().next() {
        rest = digest.take(first, rest);
    }
    digest.text
}

#[derive(Default)]
struct StatementDigest {
    text: String,
    /// Whether there is a blank before what comes next.
    is_apart: bool,
}

impl StatementDigest {
    /// Takes what begins with `first` off the rest of a statement, and returns what is left.
    fn take<'a>(&mut self, first: char, rest: &'a str) -> &'a str {
        let after = &rest[first.len_utf8()..];
        match first {
            '\'' | '"' => self.take_value(first, after),
            '`' => self.take_name(rest),
            '#' => self.skip(after.split_once('\n')),
            '-' if after.starts_with('-') => self.skip(after.split_once('\n')),
            '/' if after.starts_with('*') => self.skip(after[1..].split_once("*/")),
            _ if first.is_whitespace() => {
                self.is_apart = true;
                after
            }
            _ if is_of_word(first) => self.take_word(first, rest),
            _ => {
                self.push(first.encode_utf8(&mut [0; 4]));
                after
            }
        }
    }

    /// Takes a value to its closing quote. A doubled quote is a part of it.
    fn take_value<'a>(&mut self, quote: char, mut after: &'a str) -> &'a str {
        self.push_value();
        loop {
            let Some((value, left)) = after.split_once(quote) else {
                return "";
            };
            if value.contains('\\') {
                self.push("...");
                return "";
            }
            match left.strip_prefix(quote) {
                Some(more) => after = more,
                None => return left,
            }
        }
    }

    /// Takes a name within backticks. Without an end, it is left out.
    fn take_name<'a>(&mut self, rest: &'a str) -> &'a str {
        match rest[1..].find('`') {
            Some(end) => {
                let (name, left) = rest.split_at(end + 2);
                self.push(name);
                left
            }
            None => "",
        }
    }

    /// Takes a number, or a word. The kind of a value that is written right before its quote goes with it.
    fn take_word<'a>(&mut self, first: char, rest: &'a str) -> &'a str {
        let is_number = first.is_ascii_digit();
        let is_in = |c: char| is_of_word(c) || (is_number && c == '.');
        let end = rest.find(|c| !is_in(c)).unwrap_or(rest.len());
        let (word, left) = rest.split_at(end);
        match is_number || (left.starts_with(['\'', '"']) && word.len() <= 1) {
            true if left.starts_with(['\'', '"']) => {}
            true => self.push_value(),
            false => self.push(word),
        }
        left
    }

    fn skip<'a>(&mut self, found: Option<(&str, &'a str)>) -> &'a str {
        self.is_apart = true;
        found.map_or("", |(_, left)| left)
    }

    fn push_value(&mut self) {
        self.push("?");
    }

    fn push(&mut self, text: &str) {
        if self.is_apart && !self.text.is_empty() {
            self.text.push(' ');
        }
        self.is_apart = false;
        self.text.push_str(text);
    }
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn values_are_question_marks_and_names_stay() {
        for (statement, expected) in [
            (
                "INSERT INTO t2\nSELECT  * FROM `t 1`",
                "INSERT INTO t2 SELECT * FROM `t 1`",
            ),
            (
                "UPDATE sbtest1 SET k=k+1 WHERE id=42",
                "UPDATE sbtest1 SET k=k+? WHERE id=?",
            ),
            (
                "SELECT 'it''s', \"a\", x'FF', 0x1F, 1.5e3",
                "SELECT ?, ?, ?, ?, ?",
            ),
            ("SELECT _utf8mb4'a', N'b'", "SELECT _utf8mb4?, ?"),
            ("/* secret */ DO 1 -- secret\n+ 2 # secret", "DO ? + ?"),
            ("SELECT 'a\\', 'secret", "SELECT ?..."),
            ("SELECT 'secret", "SELECT ?"),
            ("SELECT `secret", "SELECT"),
            ("", ""),
        ] {
            assert_eq!(statement_digest(statement), expected, "{statement}");
        }
    }

    proptest! {
        #[test]
        fn no_value_remains(
            before in "[a-z =,(]{0,9}",
            value in "(SECRET|''|\"|`|#|-|/|\\*|\\\\| |\n|é){0,12}",
            after in "[a-z '\"`#/*,)\\\\-]{0,12}",
            is_double in any::<bool>(),
        ) {
            // A quote of its own kind ends a value, unless it is doubled.
            let (quote, value) = match is_double {
                true => ('"', value.replace('"', "\"\"")),
                false => ('\'', value),
            };
            let digest = statement_digest(&format!("{before} {quote}{value}{quote}{after}"));
            prop_assert!(!digest.contains("SECRET"), "{digest}");
        }

        #[test]
        fn no_number_remains(number in 100_000..u64::MAX, sign in "[-+=(, ]") {
            let digest = statement_digest(&format!("SELECT a{sign}{number} FROM t"));
            prop_assert!(!digest.contains(&number.to_string()), "{digest}");
        }

        #[test]
        fn any_text_has_a_digest(text in any::<String>()) {
            statement_digest(&text);
        }
    }
}
