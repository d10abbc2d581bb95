//! SQL statement with named parameters.

use std::mem;

use crate::workloads::custom::drawn::Drawn;

/// First words of statements that begin and end transactions. A request that is tried again repeats its transaction,
/// so logtrace has to send these itself.
const TRANSACTION_EDGES: [&str; 4] = ["BEGIN", "START", "COMMIT", "ROLLBACK"];

/// Statement, split at its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SqlStatement {
    /// SQL before, between and after the parameters: one piece more than there are parameters.
    pieces: Vec<String>,
    /// Index in the request's parameters for each parameter of the statement.
    pub(crate) parameters: Vec<usize>,
}

impl SqlStatement {
    /// Reads a statement that may use the parameters with these names, or returns what is wrong with it.
    ///
    /// Leaves the check of the SQL to the server.
    pub(crate) fn read(text: &str, names: &[&str]) -> Result<Self, String> {
        let text = text.trim();
        let mut rest = text.strip_suffix(';').unwrap_or(text).trim_end();
        check_first_word(rest)?;
        let (mut pieces, mut parameters, mut piece) = (Vec::new(), Vec::new(), String::new());
        while let Some(first) = rest.chars().next() {
            let length = match (first, parameter_name(rest), opaque_length(rest)) {
                (_, Some(name), _) => {
                    parameters.push(index(name, names)?);
                    pieces.push(mem::take(&mut piece));
                    rest = rest.get(name.len().saturating_add(1)..).unwrap_or_default();
                    continue;
                }
                ('?', ..) => return Err("write a named parameter, such as :id, in place of ?".to_owned()),
                (.., opaque) => opaque.unwrap_or(first.len_utf8()),
            };
            let (opaque, behind) = rest.split_at_checked(length).unwrap_or((rest, ""));
            piece.push_str(opaque);
            rest = behind;
        }
        pieces.push(piece);
        Ok(Self { pieces, parameters })
    }

    /// Returns the statement with a question mark for each parameter, as servers prepare it.
    pub(crate) fn sql(&self) -> String {
        self.pieces.join("?")
    }

    /// Returns the statement with the values that were drawn for the parameters of its request.
    pub(crate) fn with_values(&self, drawn: &[Drawn]) -> String {
        let mut literals = self
            .parameters
            .iter()
            .filter_map(|&parameter| drawn.get(parameter));
        let mut sql = String::new();
        for piece in &self.pieces {
            sql.push_str(piece);
            sql.extend(literals.next().map(Drawn::literal));
        }
        sql
    }
}

fn check_first_word(sql: &str) -> Result<(), String> {
    let word = sql.split(|c: char| !c.is_ascii_alphabetic()).next();
    let word = word.unwrap_or_default().to_uppercase();
    if sql.is_empty() {
        Err("it is empty: write an SQL statement, or leave it out".to_owned())
    } else if TRANSACTION_EDGES.contains(&word.as_str()) {
        Err(format!(
            "logtrace sends {word} itself: leave it out, and write transaction = true for BEGIN and COMMIT around the \
             statements"
        ))
    } else {
        Ok(())
    }
}

fn index(name: &str, names: &[&str]) -> Result<usize, String> {
    let index = names.iter().position(|&known| known == name);
    index.ok_or_else(|| {
        let known = match names {
            [] => "is empty".to_owned(),
            _ => format!("has {}", names.join(", ")),
        };
        format!("the parameter :{name} is not defined in [request.parameters], which {known}")
    })
}

/// Returns the name of the parameter that `sql` starts with, if it starts with one.
fn parameter_name(sql: &str) -> Option<&str> {
    let name = sql.strip_prefix(':')?;
    let name = name
        .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .next();
    name.filter(|name| !name.is_empty())
}

/// Returns the length in bytes of the string, quoted name or comment that `sql` starts with, if it starts with one:
/// nothing in it is a parameter. One without an end takes all of `sql`, and the server reports it.
fn opaque_length(sql: &str) -> Option<usize> {
    let first = sql.chars().next()?;
    // 5--3 is a difference.
    let is_dash_comment = sql.strip_prefix("--").is_some_and(|rest| {
        let next = rest.chars().next();
        next.is_none_or(|c| c == ' ' || c.is_ascii_control())
    });
    let length = if matches!(first, '\'' | '"' | '`') {
        quoted_length(sql, first)
    } else if first == '#' || is_dash_comment {
        sql.find('\n')
    } else if let Some(comment) = sql.strip_prefix("/*")
        && !comment.starts_with('!')
        && !comment.starts_with("M!")
    {
        // Servers execute /*! */ and /*M! */.
        let length = comment.find("*/");
        length.map(|length| length.saturating_add("/**/".len()))
    } else {
        return None;
    };
    Some(length.unwrap_or(sql.len()))
}

/// Returns the length of a quoted text. A backslash protects the next character, but not in a name. A doubled quote
/// counts as the end of one text and the start of another, which makes no difference here.
fn quoted_length(sql: &str, quote: char) -> Option<usize> {
    let mut characters = sql.char_indices().skip(1);
    while let Some((at, c)) = characters.next() {
        if c == quote {
            return Some(at.saturating_add(quote.len_utf8()));
        }
        if c == '\\' && quote != '`' {
            characters.next();
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const PARAMETERS: [&str; 2] = ["amount", "id"];

    fn read(text: &str) -> Result<SqlStatement, String> {
        SqlStatement::read(text, &PARAMETERS)
    }

    #[test]
    fn a_statement_is_sent_as_it_was_written() {
        let text = "\n  UPDATE a SET b = b - :amount,\n c = '?:x' WHERE id=:id OR d = :id -- all\n ; ";
        let statement = read(text).unwrap();
        assert_eq!(
            statement.sql(),
            "UPDATE a SET b = b - ?,\n c = '?:x' WHERE id=? OR d = ? -- all"
        );
        assert_eq!(statement.parameters, [0, 1, 1]);
        let drawn = [Drawn::Decimal("1.50".into()), Drawn::Text("it's".into())];
        assert_eq!(
            statement.with_values(&drawn),
            "UPDATE a SET b = b - 1.50,\n c = '?:x' WHERE id='it\\'s' OR d = 'it\\'s' -- all"
        );
        let plain = read("select 1").unwrap();
        assert_eq!(
            (plain.sql(), plain.with_values(&[])),
            ("select 1".into(), "select 1".into())
        );
    }

    #[test]
    fn quoted_text_and_comments_have_no_parameters() {
        let sql = "SELECT ':a', \"it''s \\\" :b ?\", `c:d`, `\\`, :id -- :f ?\n, @x := :id # :h\n /*/ :i; ' */ FROM t";
        let statement = read(sql).unwrap();
        assert_eq!(statement.parameters, [1, 1]);
        assert_eq!(
            statement.with_values(&[Drawn::Integer(1), Drawn::Integer(2)]),
            sql.replace(":id", "2")
        );
        for (sql, count) in [
            ("SELECT 5--:id", 1),
            ("SELECT 5 --\x7f:id", 0),
            ("SELECT 5 --", 0),
            ("SELECT /*!80000 :id */ 1", 1),
            ("SELECT /*+ :id */ /**/ :id", 1),
            ("SELECT 'a :id", 0),
            ("SELECT 'a\\' :id", 0),
            ("SELECT 'a'':id'", 0),
            ("SELECT 1 /* :id", 0),
        ] {
            assert_eq!(read(sql).unwrap().parameters.len(), count, "{sql}");
        }
    }

    #[test]
    fn wrong_statements_are_refused_with_a_remedy() {
        let cases = [
            ("", "empty"),
            (" ; ", "empty"),
            ("begin", "logtrace sends BEGIN itself"),
            ("COMMIT;", "transaction = true"),
            ("START TRANSACTION", "transaction = true"),
            ("SELECT ?", "in place of ?"),
            (
                "SELECT :ids",
                ":ids is not defined in [request.parameters], which has amount, id",
            ),
        ];
        for (text, part) in cases {
            let error = read(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
        let error = SqlStatement::read("SELECT :a", &[]).unwrap_err();
        assert!(error.contains("which is empty"), "{error}");
    }

    proptest! {
        #[test]
        fn any_text_is_a_statement_or_an_error(sql in "([a:?;'\"`\\\\/*# \n-]|:id){0,20}|.{0,20}") {
            if let Ok(statement) = read(&sql) {
                prop_assert_eq!(statement.pieces.len(), statement.parameters.len() + 1);
                let names = statement.parameters.iter().map(|&parameter| PARAMETERS[parameter]);
                let mut pieces = statement.pieces.iter();
                let mut text = pieces.next().unwrap().clone();
                for (name, piece) in names.zip(pieces) {
                    text.push_str(&format!(":{name}{piece}"));
                }
                let written = sql.trim();
                prop_assert_eq!(text, written.strip_suffix(';').unwrap_or(written).trim_end());
            }
        }
    }
}
