//! What a statement reaches: the tables of its file, and nothing else of the server.
//!
//! Whatever lies in another database is named `database.thing`, so it is enough to look at what stands before points. A
//! statement has the name or alias of each of its tables elsewhere by itself; a database that it names it has not.
//! Whether an alias is a database's name as well, only the server can tell.

use super::tokens::{Part, Token};

/// The tables and aliases that stand before points; or what is wrong where these may be databases, or where a file of the
/// server is written.
pub(super) fn qualifiers<'a>(tokens: &[Token<'a>]) -> Result<Vec<&'a str>, String> {
    let writes_file = |pair: &[Token<'_>]| {
        pair[0].is_word("INTO") && (pair[1].is_word("OUTFILE") || pair[1].is_word("DUMPFILE"))
    };
    if tokens.windows(2).any(writes_file) {
        return Err("it writes a file of the server: leave INTO OUTFILE or INTO DUMPFILE out".to_owned());
    }
    let found = before_points(tokens)?;
    match found.iter().find(|name| !stands_alone(tokens, name)) {
        Some(name) => Err(format!(
            "{name} stands before a point, but is no table or alias of the statement: name tables without their \
             database, there are those of the file alone"
        )),
        None => Ok(found),
    }
}

/// All names that stand before points, but for those of variables; an error for what is no name.
pub(super) fn before_points<'a>(tokens: &[Token<'a>]) -> Result<Vec<&'a str>, String> {
    let mut found = Vec::new();
    for (place, pair) in tokens.windows(2).enumerate() {
        if !pair[1].is_point() || is_variable(tokens, place) {
            continue;
        }
        let name = pair[0]
            .name()
            .ok_or("what stands before a point is no name: write a table's or its alias")?;
        found.push(name);
    }
    Ok(found)
}

/// Whether it is what follows an @.
fn is_variable(tokens: &[Token<'_>], place: usize) -> bool {
    let before = place.checked_sub(1).map(|before| tokens[before]);
    before.is_some_and(|token| token.part == Part::Sign('@') && token.end == tokens[place].start)
}

/// Whether a name stands somewhere without a point before or behind it.
fn stands_alone(tokens: &[Token<'_>], name: &str) -> bool {
    let has_point = |place: Option<usize>| {
        place
            .and_then(|place| tokens.get(place))
            .is_some_and(Token::is_point)
    };
    let mut places = tokens.iter().enumerate();
    places.any(|(place, token)| {
        token.name().is_some_and(|has| has.eq_ignore_ascii_case(name))
            && !has_point(place.checked_sub(1))
            && !has_point(place.checked_add(1))
    })
}

#[cfg(test)]
mod tests {
    use super::super::tokens::tokens;
    use super::*;

    fn found(sql: &str) -> Result<String, String> {
        qualifiers(&tokens(sql).unwrap()).map(|names| names.join(" "))
    }

    #[test]
    fn tables_and_their_aliases_may_stand_before_points() {
        for (sql, names) in [
            ("SELECT a FROM b", ""),
            (
                "SELECT account.id FROM account WHERE Account.d > 0",
                "account Account",
            ),
            ("SELECT a.id, `b`.* FROM account AS a, transfer `b`", "a b"),
            (
                "INSERT INTO t VALUES (1) AS new ON DUPLICATE KEY UPDATE n = new.n",
                "new",
            ),
            ("WITH w AS (SELECT 1 AS n) SELECT w . n FROM w", "w"),
            ("SELECT 1.5, .5, 1., a FROM b WHERE c BETWEEN .5 AND (.7)", ""),
            ("SELECT @@session.sql_mode, @@mysql.x, @a.b", ""),
            ("SELECT 'mysql.user', \"mysql.user\" FROM b -- mysql.user", ""),
        ] {
            assert_eq!(found(sql), Ok(names.to_owned()), "{sql}");
        }
    }

    #[test]
    fn what_may_be_a_database_is_refused() {
        for sql in [
            "SELECT * FROM mysql.user",
            "SELECT * FROM account, mysql . user",
            "SELECT * FROM `mysql`.`user`",
            "SELECT * FROM mysql/* */.user",
            "SELECT user.host FROM mysql.user",
            "SELECT mysql.user.host FROM mysql.user",
            "SELECT 1.mysql.user",
            "DELETE FROM shop.account WHERE account.id = 1",
            "DELETE a FROM account AS a, shop.account",
            "UPDATE account a SET a.b = shop.next()",
            "INSERT INTO account SELECT * FROM shop.5account",
            "REPLACE INTO 5shop.account VALUES (1)",
        ] {
            let error = found(sql).unwrap_err();
            assert!(error.contains("without their database"), "{sql}: {error}");
        }
        for sql in ["SELECT * FROM \"mysql\".\"user\"", "SELECT * FROM :a.user"] {
            assert!(found(sql).unwrap_err().contains("is no name"), "{sql}");
        }
    }

    #[test]
    fn no_file_of_the_server_is_written() {
        for sql in [
            "SELECT 1 INTO OUTFILE '/tmp/a'",
            "SELECT 1 into /* a */ dumpfile '/tmp/a'",
        ] {
            assert!(found(sql).unwrap_err().contains("writes a file"), "{sql}");
        }
        assert!(found("INSERT INTO `outfile` SELECT a INTO @b FROM c").is_ok());
    }
}
