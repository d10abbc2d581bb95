//! References and published ratios of tables.

use crate::plan::Plan;
use crate::plan::scale::Scale;

const PLAN: &str = r#"
name = "published"
title = "Published ratios"
[[axis]]
name = "server"
level = [{ name = "mysql", server = "mysql" }, { name = "mariadb", server = "mariadb" }]
[[axis]]
name = "binlog"
level = [{ name = "off", settings.log_bin = false }, { name = "on" }]
[[axis]]
name = "connections"
level = [{ name = "1", connections = 1 }, { name = "8", connections = 8 }]
[[table]]
name = "throughput"
figure = "throughput"
rows = "connections"
columns = "binlog"
baseline.binlog = "off"
[[table.published]]
source = "2018"
levels.server = "mysql"
columns = ["on"]
rows."8" = [0.5]
"#;

fn read(text: &str) -> Result<Plan, String> {
    let files = |name: &str| Err(format!("no file {name}"));
    Plan::read("published.toml", text, &files).map_err(|error| error.to_string())
}

#[test]
fn published_ratios_belong_to_their_cells() {
    let plan = read(PLAN).unwrap();
    let cells = plan.cells(Scale::Full).iter();
    let published = cells.filter_map(|cell| {
        let (source, ratio) = plan.tables[0].published_ratio(cell)?;
        Some((cell.key.as_str(), source, ratio))
    });
    assert_eq!(published.collect::<Vec<_>>(), [("mysql_on_8", "2018", 0.5)]);
}

#[test]
fn tables_that_cannot_be_are_refused() {
    let wrong = [
        ("baseline.binlog = \"off\"\n", "", "need a table with ratios"),
        ("[\"on\"]", "[\"of\"]", "no level \"of\""),
        ("rows.\"8\"", "rows.\"9\"", "no level \"9\""),
        ("[0.5]", "[0.5, 0.6]", "for each column"),
        ("[0.5]", "[0]", "above 0"),
        (
            "rows = \"connections\"",
            "rows = \"connections\"\nreference = \"service_p99\"",
            "another unit",
        ),
    ];
    for (old, new, words) in wrong {
        let error = read(&PLAN.replace(old, new)).expect_err(new);
        assert!(error.contains(words), "{error}");
    }
}
