//! The statement that creates a table: the one of the file, in the database of the run, with its rows in the server.

use super::reach::before_points;
use super::statement::single;
use super::tokens::{Part, Token, tokens};

/// Engines that keep rows where the server keeps its data. Others may reach another server, or another table.
const ENGINES: [&str; 5] = ["InnoDB", "MyISAM", "MEMORY", "Aria", "RocksDB"];

/// Says what is wrong with the statement that is to create the table of this name.
pub(super) fn check_create(name: &str, create: &str) -> Result<(), String> {
    let tokens = single(tokens(create)?)?;
    if !is_create(name, &tokens) {
        return Err(format!("write one statement CREATE TABLE {name} (...)"));
    }
    if let Some(database) = before_points(&tokens)?.first() {
        return Err(format!(
            "{database} stands before a point: name tables without their database, there are those of the file alone"
        ));
    }
    if tokens.windows(3).any(is_directory) {
        return Err(
            "its files are in the server's data directory: leave DATA DIRECTORY and INDEX DIRECTORY out"
                .to_owned(),
        );
    }
    check_engine(&tokens)
}

fn is_create(name: &str, tokens: &[Token<'_>]) -> bool {
    match tokens {
        [create, table, named, _, ..] => {
            create.is_word("CREATE") && table.is_word("TABLE") && named.name() == Some(name)
        }
        _ => false,
    }
}

/// Whether it is the option of a table or partition; a column or index can have this name.
fn is_directory(three: &[Token<'_>]) -> bool {
    let is_option = matches!(three[2].part, Part::Sign('=') | Part::Text);
    (three[0].is_word("DATA") || three[0].is_word("INDEX")) && three[1].is_word("DIRECTORY") && is_option
}

/// Looks at what stands behind ENGINE outside of parentheses.
fn check_engine(tokens: &[Token<'_>]) -> Result<(), String> {
    let mut depth = 0_usize;
    let mut options = tokens.iter().filter(|token| {
        match token.part {
            Part::Sign('(') => depth += 1,
            Part::Sign(')') => depth = depth.saturating_sub(1),
            Part::Sign('=') => return false,
            _ => return depth == 0,
        }
        false
    });
    while let Some(option) = options.next() {
        if !option.is_word("ENGINE") {
            continue;
        }
        let engine = options.next().and_then(Token::name).unwrap_or_default();
        if !ENGINES.iter().any(|known| known.eq_ignore_ascii_case(engine)) {
            return Err(format!(
                "the engine {engine:?} is none of {}, which keep their rows in the server: write one of these",
                ENGINES.join(", ")
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_of_the_file_is_created() {
        for create in [
            "CREATE TABLE account (id INT, d DECIMAL(9,2) DEFAULT 1.5, e INT DEFAULT .5)",
            "create table `account` (engine INT, data INT, INDEX directory (data)) engine innodb;",
            "CREATE TABLE account (id INT PRIMARY KEY) COMMENT='ENGINE=FEDERATED' ENGINE = MyISAM",
            "CREATE TABLE account (id INT, FOREIGN KEY (id) REFERENCES transfer (id)) -- shop.account",
        ] {
            assert_eq!(check_create("account", create), Ok(()), "{create}");
        }
    }

    #[test]
    fn nothing_else_is() {
        for (create, told) in [
            ("DROP TABLE account", "CREATE TABLE account (...)"),
            ("CREATE TABLE other (id INT)", "CREATE TABLE account (...)"),
            (
                "CREATE TABLE IF NOT EXISTS account (id INT)",
                "CREATE TABLE account (...)",
            ),
            (
                "CREATE TEMPORARY TABLE account (id INT)",
                "CREATE TABLE account (...)",
            ),
            ("CREATE TABLE account", "CREATE TABLE account (...)"),
            ("CREATE TABLE account.b (id INT)", "account stands before a point"),
            (
                "CREATE TABLE account (id INT REFERENCES shop.a (id))",
                "shop stands before a point",
            ),
            (
                "CREATE TABLE account LIKE mysql.user",
                "mysql stands before a point",
            ),
            (
                "CREATE TABLE account (id INT); DROP TABLE a",
                "several statements",
            ),
            (
                "CREATE TABLE account (id INT) ENGINE=FEDERATED",
                "\"FEDERATED\" is none of InnoDB",
            ),
            (
                "CREATE TABLE account (id INT) ENGINE = InnoDB, ENGINE CONNECT",
                "\"CONNECT\"",
            ),
            ("CREATE TABLE account (id INT) ENGINE='MERGE'", "\"\" is none of"),
            (
                "CREATE TABLE account (id INT) DATA DIRECTORY = '/tmp'",
                "leave DATA DIRECTORY",
            ),
            (
                "CREATE TABLE account (id INT) INDEX DIRECTORY '/tmp'",
                "leave DATA DIRECTORY",
            ),
            (
                "CREATE TABLE account (id INT) PARTITION BY HASH (id) (PARTITION a DATA DIRECTORY = '/tmp')",
                "leave DATA DIRECTORY",
            ),
        ] {
            let error = check_create("account", create).unwrap_err();
            assert!(error.contains(told), "{create}: {error}");
        }
    }
}
