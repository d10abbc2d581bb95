//! One statement with named parameters.

use super::drawn::Drawn;
use super::reach::qualifiers;
use super::tokens::{Part, Token, tokens};

/// What a request may do.
const KNOWN: [&str; 6] = ["SELECT", "INSERT", "UPDATE", "DELETE", "REPLACE", "WITH"];

/// What begins and ends transactions, or changes how that is done.
const EDGES: [&str; 9] = [
    "BEGIN",
    "START",
    "COMMIT",
    "ROLLBACK",
    "SAVEPOINT",
    "RELEASE",
    "XA",
    "LOCK",
    "UNLOCK",
];

/// A statement, cut at its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Statement {
    /// What is before, between and after the parameters: one more than these.
    pieces: Vec<String>,
    /// Which parameter of the request stands at each place.
    pub(super) places: Vec<usize>,
    /// The names of tables and aliases that stand before points.
    pub(super) qualifiers: Vec<String>,
}

impl Statement {
    /// Reads a statement whose parameters are among these; or says what is wrong with it.
    pub(super) fn read(text: &str, parameters: &[&str]) -> Result<Self, String> {
        let tokens = single(tokens(text)?)?;
        check_first(tokens.first())?;
        let qualifiers = qualifiers(&tokens)?;
        let (mut pieces, mut places) = (Vec::new(), Vec::new());
        let mut start = tokens.first().map_or(0, |token| token.start);
        for token in &tokens {
            match token.part {
                Part::Parameter(name) => {
                    places.push(place(name, parameters)?);
                    pieces.push(text[start..token.start].to_owned());
                    start = token.end;
                }
                Part::Sign('?') => {
                    return Err("write a named parameter, such as :id, in place of ?".to_owned());
                }
                Part::Word(_) | Part::Name(_) | Part::Text | Part::Sign(_) => {}
            }
        }
        let end = tokens.last().map_or(start, |token| token.end);
        pieces.push(text[start..end].to_owned());
        Ok(Self {
            pieces,
            places,
            qualifiers: qualifiers.iter().map(|name| name.replace("``", "`")).collect(),
        })
    }

    /// With a question mark for each parameter, as servers prepare it.
    pub(super) fn sql(&self) -> String {
        self.pieces.join("?")
    }

    /// With what was drawn for the parameters of its request.
    pub(super) fn written(&self, drawn: &[Drawn]) -> String {
        let mut sql = self.pieces[0].clone();
        for (&place, piece) in self.places.iter().zip(&self.pieces[1..]) {
            sql.push_str(&drawn[place].literal());
            sql.push_str(piece);
        }
        sql
    }
}

/// The parts of the only statement, without the semicolon at its end.
pub(super) fn single(mut tokens: Vec<Token<'_>>) -> Result<Vec<Token<'_>>, String> {
    tokens.pop_if(|last| last.part == Part::Sign(';'));
    let has_more = tokens.iter().any(|token| token.part == Part::Sign(';'));
    match (tokens.is_empty(), has_more) {
        (true, _) => Err("it is empty: write an SQL statement, or leave it out".to_owned()),
        (false, true) => Err("it has several statements (;): write each by itself in the list".to_owned()),
        (false, false) => Ok(tokens),
    }
}

fn check_first(first: Option<&Token<'_>>) -> Result<(), String> {
    let word = match first.map(|token| token.part) {
        Some(Part::Word(word)) => word.to_uppercase(),
        _ => String::new(),
    };
    if KNOWN.contains(&word.as_str()) {
        Ok(())
    } else if EDGES.contains(&word.as_str()) {
        Err(format!(
            "{word} is logtrace's: leave it out, and write transaction = true for BEGIN and COMMIT around the statements"
        ))
    } else {
        Err(format!("it must begin with one of {}", KNOWN.join(", ")))
    }
}

fn place(name: &str, parameters: &[&str]) -> Result<usize, String> {
    let place = parameters.iter().position(|&parameter| parameter == name);
    place.ok_or_else(|| {
        let defined = match parameters {
            [] => "there are none".to_owned(),
            _ => format!("there are {}", parameters.join(", ")),
        };
        format!("the parameter :{name} is not defined in [request.parameters]: {defined}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARAMETERS: [&str; 2] = ["amount", "id"];

    fn read(text: &str) -> Result<Statement, String> {
        Statement::read(text, &PARAMETERS)
    }

    #[test]
    fn a_statement_is_sent_as_it_was_written() {
        let text = "\n  UPDATE a SET b = b - :amount,\n c = '?:x' WHERE id=:id OR d = :id ; -- done\n";
        let statement = read(text).unwrap();
        assert_eq!(
            statement.sql(),
            "UPDATE a SET b = b - ?,\n c = '?:x' WHERE id=? OR d = ?"
        );
        assert_eq!(statement.places, [0, 1, 1]);
        let drawn = [Drawn::Decimal("1.50".into()), Drawn::Text("it's".into())];
        assert_eq!(
            statement.written(&drawn),
            "UPDATE a SET b = b - 1.50,\n c = '?:x' WHERE id='it\\'s' OR d = 'it\\'s'"
        );
        let plain = read("select 1").unwrap();
        assert_eq!(
            (plain.sql(), plain.written(&[])),
            ("select 1".into(), "select 1".into())
        );
    }

    #[test]
    fn what_is_wrong_is_said() {
        let cases = [
            ("", "empty"),
            (" ; ", "empty"),
            ("-- nothing", "empty"),
            ("SELECT 1; SELECT 2", "several statements"),
            ("SELECT 1;;", "several statements"),
            ("begin", "BEGIN is logtrace's"),
            ("COMMIT", "transaction = true"),
            ("START TRANSACTION", "transaction = true"),
            ("SET autocommit = 0", "one of SELECT"),
            ("DROP DATABASE mysql", "one of SELECT"),
            ("'a'", "one of SELECT"),
            ("SELECT ?", "in place of ?"),
            (
                "SELECT :ids",
                ":ids is not defined in [request.parameters]: there are amount, id",
            ),
            ("SELECT 'a", "does not end"),
            ("SELECT * FROM mysql.user", "without their database"),
            ("SELECT 1 INTO OUTFILE '/tmp/a'", "writes a file"),
            ("USE mysql", "one of SELECT"),
            ("CREATE DATABASE a", "one of SELECT"),
            ("SET GLOBAL read_only = 1", "one of SELECT"),
            ("LOAD DATA INFILE '/tmp/a' INTO TABLE a", "one of SELECT"),
            ("TRUNCATE a", "one of SELECT"),
        ];
        for (text, told) in cases {
            let error = read(text).unwrap_err();
            assert!(error.contains(told), "{text}: {error}");
        }
        assert!(
            Statement::read("SELECT :a", &[])
                .unwrap_err()
                .contains("there are none")
        );
    }
}
