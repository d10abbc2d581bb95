//! Errors of files, with their lines.

use crate::workloads::custom::CustomWorkload;

/// Table, on lines 1 to 5.
const TABLE: &str = "[[table]]
name = 'account'
create = 'CREATE TABLE account (id INT PRIMARY KEY)'
rows = 10
columns = { id = { type = 'row' } }
";

/// Request, on lines 6 to 10 after the table.
const REQUEST: &str = "[[request]]
name = 'read'
weight = 2
statements = ['SELECT * FROM account WHERE id = :id']
parameters = { id = { type = 'row', table = 'account' } }
";

fn read(text: &str) -> Result<CustomWorkload, String> {
    CustomWorkload::read("dir/a.toml", text).map_err(|error| error.to_string())
}

#[test]
fn a_valid_file_is_read() {
    let custom = read(&format!("{TABLE}{REQUEST}")).unwrap();
    assert_eq!(custom.name(), "a.toml");
    assert!(custom.kinds().eq(["read"]) && custom.table_rows().eq([10]));
    assert!(!custom.transaction() && custom.statements() == 1);
    let alone = "[[request]]\nname = 'one'\nstatements = ['SELECT 1']\ntransaction = true\n";
    assert!(read(alone).unwrap().transaction());
}

#[test]
fn the_examples_in_the_documentation_are_parts_of_the_file() {
    let example = include_str!("../../../../../workloads/transfer.toml");
    let documentation = include_str!("../../../../../docs/workloads.md");
    let parts = documentation.split("```toml\n").skip(1);
    let parts: Vec<_> = parts.map(|rest| rest.split_once("```").unwrap().0).collect();
    assert_eq!(parts.len(), 2);
    assert!(parts.iter().all(|part| example.contains(part)));
    assert_eq!(read(example).unwrap().table_rows().sum::<u64>(), 10_000);
}

#[test]
fn errors_have_the_line_and_a_remedy() {
    for (from, to, message) in REPLACED {
        let good = format!("{TABLE}{REQUEST}");
        assert!(good.contains(from), "{from}");
        let error = read(&good.replacen(from, to, 1)).unwrap_err();
        assert!(error.starts_with("dir/a.toml"), "{error}");
        let mut pieces = message.split(" ... ");
        assert!(
            pieces.all(|piece| error.contains(piece)),
            "{from} -> {to}: {error}"
        );
    }
    for (more, message) in ADDED {
        let error = read(&format!("{TABLE}{REQUEST}{more}")).unwrap_err();
        assert!(error.contains(message), "{more}: {error}");
    }
    assert!(read("").unwrap_err().contains("[[request]]"));
    assert!(read(TABLE).unwrap_err().contains("[[request]]"));
}

/// Text of the valid file, its replacement, and parts of the error.
const REPLACED: &[(&str, &str, &str)] = &[
    ("weight = 2", "weigth = 2", ":8: ... unknown field `weigth`"),
    ("weight = 2", "weight = 0", ":8: ... weight of 0"),
    ("weight = 2", "weight = -1", ":8: ... -1"),
    ("weight = 2", "weight = 'two'", ":8: ... two"),
    ("weight = 2", "weight = ", ":8: "),
    (
        "weight = 2",
        "weight = two",
        ":8: two needs quotes here ... write \"two\"",
    ),
    ("'read'", "read", ":7: read needs quotes here ... write \"read\""),
    (
        "{ type = 'row' }",
        "{ type = row }",
        ":5: row needs quotes here ... write \"row\"",
    ),
    ("weight = 2", "weight = true", ":8: ... boolean `true`"),
    ("weight = 2", "weight = 2\nweight = 2", ":9: duplicate key"),
    ("name = 'read'\n", "", "missing field `name`"),
    ("'read'", "'re ad'", ":7: ... \"re ad\" is not a valid name"),
    ("'read'", "''", ":7: ... not a valid name"),
    ("'read'", "'2read'", ":7: ... no digit first"),
    (
        "['SELECT * FROM account WHERE id = :id']",
        "[]",
        ":9: ... has no statements",
    ),
    (
        "['SELECT * FROM account WHERE id = :id']",
        "['SELECT :id',\n'']",
        ":10: statement 2 of the request read ... empty",
    ),
    (
        "'SELECT *",
        "'COMMIT', 'SELECT *",
        ":9: statement 1 ... transaction = true",
    ),
    (":id'", ":idd'", ":9: ... :idd is not defined"),
    (
        ":id'",
        "7'",
        ":10: ... no statement of the request read uses the parameter :id",
    ),
    (":id'", "?'", ":9: ... in place of ?"),
    (
        "table = 'account'",
        "table = 'accounts'",
        ":10: the parameter id of the request read ... accounts",
    ),
    ("table = 'account'", "tabel = 'account'", ":10: ... `tabel`"),
    ("'row', table", "'rows', table", ":10: ... `rows`"),
    (
        "{ id = { type = 'row', table",
        "{ 'i d' = { type = 'row', table",
        "\"i d\" is not a valid name",
    ),
    (
        "'account'\ncreate",
        "'my account'\ncreate",
        ":2: ... \"my account\" is not a valid name",
    ),
    (
        "'account'\ncreate",
        "'logtrace_marker'\ncreate",
        ":2: ... marks its databases",
    ),
    ("rows = 10", "rows = 0", ":2: ... rows is 0"),
    ("rows = 10", "rows = 4000000000", ":2: ... at most 2147483647"),
    ("rows = 10", "rows = 1.5", ":4: "),
    (
        "columns = { id = { type = 'row' } }",
        "",
        ":2: ... [table.columns]",
    ),
    (
        "{ id = { type = 'row' } }",
        "{ 'i`d' = { type = 'row' } }",
        ":5: ... is not a valid name",
    ),
    (
        "{ type = 'row' }",
        "{ type = 'unique' }",
        ":5: the column id of the table account: ... row",
    ),
];

/// Text after the valid file, and a part of the error.
const ADDED: &[(&str, &str)] = &[
    ("[[tables]]\n", ":11: unknown field `tables`"),
    (
        "[[request]]\nname = 'Read'\nstatements = ['SELECT 1']\n",
        ":12: two requests have the name Read",
    ),
    (
        "[[table]]\nname = 'Account'\ncreate = 'CREATE TABLE Account (id INT)'\n",
        ":12: two tables have the name Account",
    ),
    ("[[request]\n", ":11: "),
];
