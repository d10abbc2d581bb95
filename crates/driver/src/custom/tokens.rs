//! The parts of an SQL statement that can be checked without a server.

/// A blank to servers.
const VERTICAL_TAB: char = '\x0b';

/// A part of a statement, and where in its text it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token<'a> {
    /// What it is.
    pub(super) part: Part<'a>,
    /// Its first byte.
    pub(super) start: usize,
    /// The first byte after it.
    pub(super) end: usize,
}

/// What a part of a statement is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part<'a> {
    /// A keyword, a name or a number.
    Word(&'a str),
    /// A name in backquotes, without these.
    Name(&'a str),
    /// A text in quotes.
    Text,
    /// The name behind a colon.
    Parameter(&'a str),
    /// Any other character.
    Sign(char),
}

impl<'a> Token<'a> {
    /// A name or a word that can be one.
    pub(super) fn name(&self) -> Option<&'a str> {
        match self.part {
            Part::Word(name) | Part::Name(name) => Some(name),
            Part::Text | Part::Parameter(_) | Part::Sign(_) => None,
        }
    }

    /// Whether it is this keyword.
    pub(super) fn is_word(&self, word: &str) -> bool {
        matches!(self.part, Part::Word(has) if has.eq_ignore_ascii_case(word))
    }

    /// Whether it is a point that is of no number.
    pub(super) fn is_point(&self) -> bool {
        self.part == Part::Sign('.')
    }
}

/// The parts of a statement, blanks and comments left out; an error where a quote or a comment does not end.
pub(super) fn tokens(sql: &str) -> Result<Vec<Token<'_>>, String> {
    let (mut found, mut start) = (Vec::new(), 0);
    while let Some(first) = sql[start..].chars().next() {
        let is_behind_name = found
            .last()
            .is_some_and(|last: &Token<'_>| last.end == start && last.name().is_some());
        let (length, part) = match number(&sql[start..]) {
            // To servers a point right behind a name is one between names.
            Some(number) if first != '.' || !is_behind_name => (number.len(), Some(Part::Word(number))),
            _ => next(&sql[start..], first)?,
        };
        let end = start + length;
        found.extend(part.map(|part| Token { part, start, end }));
        start = end;
    }
    Ok(found)
}

/// Bytes of what comes first, and what it is; nothing for blanks and comments.
fn next(rest: &str, first: char) -> Result<(usize, Option<Part<'_>>), String> {
    if let Some(length) = comment(rest)? {
        return Ok((length, None));
    }
    Ok(match first {
        '\'' | '"' => (quoted(rest, first)?, Some(Part::Text)),
        '`' => {
            let length = quoted(rest, first)?;
            (length, Some(Part::Name(&rest[1..length - 1])))
        }
        ':' if !word(&rest[1..]).is_empty() => {
            let name = word(&rest[1..]);
            (1 + name.len(), Some(Part::Parameter(name)))
        }
        _ if first.is_ascii_whitespace() || first == VERTICAL_TAB => (1, None),
        _ => match word(rest) {
            "" => (first.len_utf8(), Some(Part::Sign(first))),
            word => (word.len(), Some(Part::Word(word))),
        },
    })
}

fn word(rest: &str) -> &str {
    // As servers have it: of other scripts, every character.
    let is_of_word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$' || !c.is_ascii();
    let end = rest.find(|c| !is_of_word(c)).unwrap_or(rest.len());
    &rest[..end]
}

/// A number with a point, if one comes first.
fn number(rest: &str) -> Option<&str> {
    let digits = |from: usize| {
        let others = rest[from..].find(|c: char| !c.is_ascii_digit());
        others.map_or(rest.len(), |others| from + others)
    };
    let point = digits(0);
    let end = digits(rest[point..].starts_with('.').then_some(point + 1)?);
    (end > 1).then(|| &rest[..end])
}

/// Bytes of a comment, if one comes first.
fn comment(rest: &str) -> Result<Option<usize>, String> {
    let behind_dashes = rest.strip_prefix("--");
    let is_dashed = behind_dashes.is_some_and(|rest| {
        rest.chars()
            .next()
            .is_none_or(|c| c == ' ' || c.is_ascii_control())
    });
    if rest.starts_with('#') || is_dashed {
        return Ok(Some(rest.find('\n').unwrap_or(rest.len())));
    }
    if rest.starts_with("/*!") || rest.starts_with("/*M!") {
        return Err("servers execute a comment of the form /*! */: write its content without it".to_owned());
    }
    match rest.strip_prefix("/*").map(|content| content.find("*/")) {
        None => Ok(None),
        Some(Some(length)) => Ok(Some(length + "/**/".len())),
        Some(None) => Err("a comment (/*) does not end".to_owned()),
    }
}

/// Bytes of a text or name up to the quote that ends it. Two quotes stand for one, and so does a backslash with a quote,
/// but not in a name.
fn quoted(rest: &str, quote: char) -> Result<usize, String> {
    let mut characters = rest.char_indices().skip(1).peekable();
    while let Some((at, c)) = characters.next() {
        if c == '\\' && quote != '`' {
            characters.next();
        } else if c == quote && characters.next_if(|&(_, next)| next == quote).is_none() {
            return Ok(at + 1);
        }
    }
    Err(format!("a quote ({quote}) does not end"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parts(sql: &str) -> Vec<Part<'_>> {
        let tokens = tokens(sql).unwrap();
        tokens.into_iter().map(|token| token.part).collect()
    }

    #[test]
    fn what_is_quoted_or_a_comment_is_no_parameter() {
        let sql = "SELECT ':a', \"it''s \\\" :b\", `c:d`, :e -- :f ?\n, @x := :g # :h\n /* :i; */ FROM t;";
        let parameters: Vec<_> = parts(sql)
            .into_iter()
            .filter(|part| matches!(part, Part::Parameter(_) | Part::Name(_) | Part::Sign(';' | '?')))
            .collect();
        let expected = [
            Part::Name("c:d"),
            Part::Parameter("e"),
            Part::Parameter("g"),
            Part::Sign(';'),
        ];
        assert_eq!(parameters, expected);
    }

    #[test]
    fn two_dashes_without_a_blank_are_no_comment() {
        let expected = [Part::Word("5"), Part::Sign('-'), Part::Sign('-'), Part::Word("3")];
        assert_eq!(parts("5--3"), expected);
        assert_eq!(parts("5 --"), [Part::Word("5")]);
        assert_eq!(parts("5 --\x7f'\n"), [Part::Word("5")]);
    }

    #[test]
    fn a_comment_does_not_end_where_it_begins() {
        assert_eq!(parts("5 /*/ ' */ /**/ 6"), [Part::Word("5"), Part::Word("6")]);
    }

    #[test]
    fn what_does_not_end_is_an_error() {
        for sql in [
            "SELECT 'a",
            "SELECT 'a\\'",
            "SELECT `a",
            "SELECT 1 /* a",
            "SELECT 'a''",
        ] {
            let error = tokens(sql).unwrap_err();
            assert!(error.contains("does not end"), "{sql}: {error}");
        }
        assert!(tokens("SELECT /*!80000 1 */").is_err());
    }

    proptest! {
        #[test]
        fn any_text_has_parts_in_order_or_an_error(sql in "[a:?;'\"`\\\\/*# \n-]{0,20}|.{0,20}") {
            if let Ok(tokens) = tokens(&sql) {
                let edges: Vec<usize> = tokens.iter().flat_map(|token| [token.start, token.end]).collect();
                prop_assert!(edges.is_sorted());
                prop_assert!(tokens.iter().all(|token| token.start < token.end && sql.is_char_boundary(token.end)));
            }
        }
    }
}
