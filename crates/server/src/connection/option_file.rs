//! Option files of the servers' own clients, such as `~/.my.cnf`.

use std::path::Path;

use anyhow::ensure;

use crate::connection::private_text::read_private;
use logtrace_common::Password;

/// Groups that apply, as the MySQL client and MariaDB's read them.
const GROUPS: [&str; 4] = ["client", "mysql", "client-mariadb", "mariadb-client"];

/// Account in an option file.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct OptionFile {
    /// Name of the account.
    pub user: Option<String>,
    /// Password of the account.
    pub password: Option<Password>,
    /// Whether the file names others with `!include` or `!includedir`, which are not read.
    pub includes: bool,
}

/// Name of the file of login paths, which `mysql_config_editor` writes.
const LOGIN_PATHS: &str = ".mylogin.cnf";

impl OptionFile {
    /// Reads an option file that only its owner may read. All options but `user` and `password` are ignored.
    pub fn read(path: &Path) -> anyhow::Result<Self> {
        ensure!(
            path.file_name().is_none_or(|name| name != LOGIN_PATHS),
            "{} has login paths of mysql_config_editor, which logtrace does not read: put the password into an option file \
             or a --password-file",
            path.display()
        );
        Ok(Self::parse(&read_private(path)?))
    }

    /// Parses the text. The last of several values counts.
    fn parse(text: &str) -> Self {
        let (mut account, mut applies) = (Self::default(), false);
        for line in text.lines().map(str::trim) {
            account.includes |= line.starts_with("!include");
            if let Some(group) = line.strip_prefix('[').and_then(|line| line.split(']').next()) {
                applies = GROUPS.contains(&group.trim());
                continue;
            }
            let Some((name, value)) = line
                .split_once('=')
                .filter(|_| applies && !line.starts_with(['#', ';']))
            else {
                continue;
            };
            match name.trim() {
                "user" => account.user = Some(value_of(value)),
                "password" => account.password = Some(Password::new(value_of(value))),
                _ => {}
            }
        }
        account
    }
}

/// Returns a value without its comment and quotes, with its escapes replaced ("Using Option Files" in the manual of
/// MySQL).
fn value_of(text: &str) -> String {
    let (mut value, mut quote) = (String::new(), None);
    let mut characters = text.trim().chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some('b') => value.push('\u{8}'),
                Some('t') => value.push('\t'),
                Some('n') => value.push('\n'),
                Some('r') => value.push('\r'),
                Some('s') => value.push(' '),
                Some('\\') => value.push('\\'),
                Some(other) => value.extend(['\\', other]),
                None => value.push('\\'),
            },
            '\'' | '"' if quote == Some(character) => break,
            '\'' | '"' if quote.is_none() && value.is_empty() => quote = Some(character),
            '#' if quote.is_none() => return value.trim_end().to_owned(),
            other => value.push(other),
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_account_of_the_client_is_read() {
        let text = "[mysqld]\nuser=mysql\npassword = no\n# [client]\n[client]\nport=3307\n user = bench # me\n\
                    password = \"a#b\\\"\nno-value\n[mysqldump]\npassword=no";
        let account = OptionFile::parse(text);
        assert_eq!(account.user.as_deref(), Some("bench"));
        assert_eq!(account.password.as_ref().map(Password::expose), Some("a#b\\\""));
        assert_eq!(OptionFile::parse("password=no"), OptionFile::default());
    }

    #[test]
    fn other_files_that_are_named_are_seen() {
        let includes = |text: &str| OptionFile::parse(text).includes;
        assert!(includes("[client]\n!include /a.cnf") && includes(" !includedir /etc/my.cnf.d/\n[client]"));
        assert!(!includes("# !include /a.cnf\n[client]\npassword=!include"));
    }

    #[test]
    fn values_lose_quotes_comments_and_escapes() {
        for (text, value) in [
            ("geheim", "geheim"),
            (" 'a b' ", "a b"),
            ("a b # c", "a b"),
            (r"a\sb\\", r"a b\"),
            (r"C:\d", r"C:\d"),
            ("it's", "it's"),
            ("", ""),
        ] {
            assert_eq!(value_of(text), value, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "(\\[client\\]\n)?(.|\n){0,80}") {
            OptionFile::parse(&text);
        }
    }
}
