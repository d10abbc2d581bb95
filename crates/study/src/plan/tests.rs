//! Plans as users write them, good ones and bad ones.

mod tables;

use std::time::Duration;

use logtrace_common::{FileClass, Flavor};
use logtrace_driver::{Arrivals, Pace};
use logtrace_server::FileLocation;

use proptest::prelude::*;

use crate::{Cell, Figure, Plan, Scale, measurement_order};

const PLAN: &str = r#"name = "logs"
title = "Logs"

[base]
workload = "update_key"
connections = 4
duration = "10s"
file_system = { kind = "ext4", size = "2G", mount = "noatime" }
settings.innodb_flush_log_at_trx_commit = 2
settings.mariadb.binlog_format = "MIXED"

[[axis]]
name = "server"
[[axis.level]]
name = "mysql"
server = "mysql"
[[axis.level]]
name = "mariadb"
server = "mariadb"

[[axis]]
name = "binlog"
[[axis.level]]
name = "off"
settings.log_bin = false
[[axis.level]]
name = "sync 1"
settings.sync-binlog = 1
place.binlog = "own"
[[axis.level]]
name = "aria"
only = "mariadb"
settings.aria_checkpoint_interval = 0

[[axis]]
name = "load"
[[axis.level]]
name = "max"
[[axis.level]]
name = "10/s"
rate = "10/s"
connections = 1

[[exclude]]
binlog = "off"
load = "10/s"

[scale.smoke]
base.duration = "2s"
base.repeats = 1
levels.load = "max"

[[table]]
name = "speed"
figure = "throughput"
rows = "binlog"
columns = "load"
baseline.binlog = "off"
"#;

fn read(text: &str) -> Result<Plan, String> {
    let files = |name: &str| Err(format!("no file {name}"));
    Plan::read("logs.toml", text, &files).map_err(|error| error.to_string())
}

fn keys(cells: &[Cell]) -> Vec<&str> {
    cells.iter().map(|cell| cell.key.as_str()).collect()
}

#[test]
fn cells_are_the_levels_of_all_axes_less_what_is_left_out() {
    let plan = read(PLAN).unwrap();
    let full = [
        "mysql_off_max",
        "mysql_sync-1_max",
        "mysql_sync-1_10-s",
        "mariadb_off_max",
        "mariadb_sync-1_max",
        "mariadb_sync-1_10-s",
        "mariadb_aria_max",
        "mariadb_aria_10-s",
    ];
    assert_eq!(keys(plan.cells(Scale::Full)), full);
    assert_eq!(keys(plan.cells(Scale::Quick)), full);
    let smoke: Vec<&str> = full.into_iter().filter(|key| key.ends_with("max")).collect();
    assert_eq!(keys(plan.cells(Scale::Smoke)), smoke);
    assert_eq!(plan.tables[0].figure, Figure::Throughput);
}

#[test]
fn a_cell_has_the_options_of_base_scale_and_levels() {
    let plan = read(PLAN).unwrap();
    let [off, sync, rate] = &plan.cells(Scale::Full)[..3] else {
        panic!("three cells");
    };
    assert_eq!((off.setting("log_bin"), off.places.len()), (Some("OFF"), 0));
    assert_eq!(sync.setting("sync_binlog"), Some("1"));
    assert_eq!(sync.places[0].class, FileClass::Binlog);
    let file_system = sync.file_system.as_ref().unwrap();
    let own = FileLocation::Volume(file_system.clone());
    assert_eq!(
        (&sync.places[0].place, sync.line("place.binlog")),
        (&own, Some(29))
    );
    assert_eq!((sync.connections.get(), rate.connections.get()), (4, 1));
    let poisson = Pace::Open {
        rate_per_s: 10.0,
        arrivals: Arrivals::Poisson,
    };
    assert_eq!((&sync.pace, &rate.pace), (&Pace::Closed, &poisson));
    assert_eq!(
        (file_system.kind.as_str(), file_system.mount_options.as_slice()),
        ("ext4", ["noatime".to_owned()].as_slice())
    );
    let mariadb = &plan.cells(Scale::Smoke)[2];
    assert_eq!(
        (mariadb.flavor, mariadb.duration),
        (Flavor::MariaDb, Duration::from_secs(2))
    );
    assert_eq!(mariadb.setting("binlog_format"), Some("MIXED"));
    assert_eq!(off.setting("binlog_format"), None);
    assert_eq!(mariadb.line("duration"), Some(49));
    let error = plan
        .error(mariadb, "settings.binlog_format", "no such format: write ROW")
        .to_string();
    assert_eq!(
        error,
        "logs.toml:10: settings.binlog_format (cell mariadb_off_max): no such format: write ROW"
    );
}

#[test]
fn cells_share_a_server_if_only_live_variables_differ() {
    let plan = read(PLAN).unwrap();
    let cells = plan.cells(Scale::Full);
    let with = |text: &str| {
        let mut cell = cells[1].clone();
        cell.settings.push(text.parse().unwrap());
        cell.server_key()
    };
    assert_eq!(cells[1].server_key(), with("long_query_time=0"));
    assert_ne!(cells[1].server_key(), with("innodb_io_capacity=400"));
    assert_eq!(cells[1].server_key(), cells[2].server_key(), "load alone differs");
    for other in [0, 4] {
        assert_ne!(cells[1].server_key(), cells[other].server_key());
    }
    assert_eq!(cells[0].data_key(), cells[4].data_key());
    assert_eq!(measurement_order(cells, 7).len(), 3 * cells.len());
}

#[test]
fn cells_whose_files_are_elsewhere_do_not_share_a_server() {
    let duration = "duration = \"10s\"\n";
    let elsewhere = PLAN.replacen(duration, &format!("{duration}place.slow_log = \"nothing\"\n"), 1);
    let (usual, elsewhere) = (read(PLAN).unwrap(), read(&elsewhere).unwrap());
    for (one, other) in usual.cells(Scale::Full).iter().zip(elsewhere.cells(Scale::Full)) {
        assert_eq!((one.places.len() + 1, &one.key), (other.places.len(), &other.key));
        // What a server was started with is what it has.
        assert_ne!(one.server_key(), other.server_key());
    }
}

#[test]
fn the_baseline_of_a_cell_differs_by_its_axis_alone() {
    let plan = read(PLAN).unwrap();
    let (cells, table) = (plan.cells(Scale::Full), &plan.tables[0]);
    let baselines = |of: usize| -> Vec<usize> {
        let is = |&at: &usize| table.is_baseline(&cells[at], &cells[of]);
        (0..cells.len()).filter(is).collect()
    };
    assert_eq!(baselines(1), [0]);
    assert_eq!(baselines(0), [0]);
    assert_eq!(baselines(2), [0; 0], "left out");
    assert_eq!(baselines(6), [3]);
}

/// What is replaced in the plan, by what, the line of the error, and words that it has.
const BAD: [(&str, &str, usize, &[&str]); 34] = [
    ("name = \"logs\"", "name = \"My logs\"", 1, &["small letters"]),
    (
        "connections = 4",
        "conections = 4",
        6,
        &["conections", "connections"],
    ),
    (
        "connections = 4",
        "connections = 0",
        6,
        &["connections", "from 1"],
    ),
    ("connections = 4", "connections = \"four\"", 6, &["whole number"]),
    (
        "connections = 4",
        "connections = 4\nconnections = 5",
        7,
        &["connections"],
    ),
    ("connections = 4", "connections = four", 6, &["quotes"]),
    (
        "\"update_key\"",
        "\"update_keys\"",
        5,
        &["update_key", "point_select"],
    ),
    ("\"update_key\"", "\"my.toml\"", 5, &["no file my.toml"]),
    (
        "\"update_key\"",
        "\"update_key\"\nwarehouses = 2",
        5,
        &["--warehouses", "update_key"],
    ),
    ("\"update_key\"", "\"tpcc\"\nrows = 2", 6, &["rows", "tpcc"]),
    ("\"10s\"", "\"10ms\"", 7, &["at least 1s"]),
    ("\"10s\"", "\"ten\"", 7, &["ten", "30s"]),
    ("kind = \"ext4\"", "kind = \"zfs\"", 8, &["ext4, xfs or btrfs"]),
    ("kind = \"ext4\"", "kind = \"none\"", 29, &["own", "file_system"]),
    ("kind = \"ext4\", ", "", 8, &["kind"]),
    ("mount = ", "mounts = ", 8, &["mounts", "mkfs"]),
    ("\"2G\"", "\"2M\"", 8, &["too small"]),
    (
        "settings.sync-binlog = 1",
        "settings.port = 1",
        28,
        &["leave it out"],
    ),
    (
        "settings.sync-binlog = 1",
        "settings.\"a b\" = 1",
        28,
        &["VARIABLE=VALUE"],
    ),
    (
        "settings.sync-binlog = 1",
        "settings.sync-binlog = [1]",
        28,
        &["list"],
    ),
    (
        "settings.sync-binlog = 1",
        "settings.sync-binlog = 1\nsettings.sync_binlog = 2",
        29,
        &["line 28"],
    ),
    (
        "place.binlog = \"own\"",
        "place.binlog = \"nothing\"",
        29,
        &["slow_log"],
    ),
    (
        "place.binlog = \"own\"",
        "place.binlogs = \"own\"",
        29,
        &["binlog, redo"],
    ),
    (
        "place.binlog = \"own\"",
        "place.doublewrite = \"own\"",
        29,
        &["MariaDB", "ibdata1"],
    ),
    ("only = \"mariadb\"", "only = \"maria\"", 32, &["mysql"]),
    (
        "settings.aria_checkpoint_interval = 0",
        "settings.sync_binlog = 1\nplace.binlog = \"own\"",
        31,
        &["twin"],
    ),
    (
        "connections = 1\n",
        "connections = 1\nserver = \"mysql\"\n",
        43,
        &["line 16", "axis server"],
    ),
    ("rate = \"10/s\"", "rate = \"50%\"", 41, &["500/s"]),
    (
        "[[axis]]\nname = \"load\"",
        "[[axis]]\nname = \"empty\"\n[[axis]]\nname = \"load\"",
        36,
        &["no level"],
    ),
    ("name = \"aria\"", "name = \"off\"", 31, &["line 24"]),
    (
        "binlog = \"off\"\nload = \"10/s\"",
        "binlog = \"of\"",
        45,
        &["of", "sync 1"],
    ),
    (
        "levels.load",
        "levels.loads",
        51,
        &["loads", "server, binlog, load"],
    ),
    ("[scale.smoke]", "[scale.tiny]", 48, &["smoke, quick or full"]),
    ("columns = \"load\"", "columns = \"binlog\"", 57, &["same axis"]),
];

#[test]
fn errors_name_line_and_remedy() {
    for (old, new, line, words) in BAD {
        assert_eq!(PLAN.matches(old).count(), 1, "{old}");
        let error = read(&PLAN.replace(old, new)).expect_err(new);
        let place = format!("logs.toml:{line}: ");
        assert!(error.starts_with(&place), "{new}: {error}, not in line {line}");
        for word in words {
            assert!(error.contains(word), "{new}: {error}");
        }
    }
}

#[test]
fn tables_without_values_are_refused() {
    for (new, word) in [
        ("figure = \"nopm\"", "tpcc"),
        ("figure = \"tps\"", "throughput"),
        ("figure = \"stage.init\"", "stages = true"),
        ("figure = \"throughput\"\nstatistic = \"mode\"", "median"),
    ] {
        let error = read(&PLAN.replace("figure = \"throughput\"", new)).unwrap_err();
        assert!(error.contains(word), "{error}");
    }
    let untraced = PLAN.replace("connections = 4", "connections = 4\ndetail = \"none\"");
    assert!(read(&untraced).is_ok());
    let error = read(&untraced.replace("\"throughput\"", "\"commit_mean\"")).unwrap_err();
    assert!(error.contains("not traced"), "{error}");
    let stages = PLAN.replace("connections = 4", "connections = 4\nstages = true");
    let error = read(&stages).unwrap_err();
    assert!(
        error.starts_with("logs.toml:7:") && error.contains("performance_schema = true"),
        "{error}"
    );
    assert!(read(&stages.replace("stages = true", "stages = true\nsettings.performance_schema = 1")).is_ok());
    let pool = "data_per_pool = 1.5\nsettings.innodb_buffer_pool_size = \"1G\"\n";
    let error = read(&PLAN.replace("connections = 4", &format!("connections = 4\n{pool}"))).unwrap_err();
    assert!(
        error.starts_with("logs.toml:7:") && error.contains("line 8"),
        "{error}"
    );
}

#[test]
fn empty_plans_are_refused() {
    for (text, word) in [
        ("", "name"),
        ("name = \"a\"\ntitle = \"A\"\n", "no axis"),
        (
            &format!("{PLAN}\n[[exclude]]\nserver = [\"mysql\", \"mariadb\"]\n"),
            "no cell left",
        ),
        (&format!("{PLAN}\n[[exclude]]\n"), "leave out every cell"),
    ] {
        let error = read(text).unwrap_err();
        assert!(error.contains(word), "{error}");
    }
}

#[test]
fn twins_may_measure_the_same() {
    let same = "name = \"aria\"\ntwin = true\nonly = \"mariadb\"";
    let twin = PLAN.replace("name = \"aria\"\nonly = \"mariadb\"", same);
    let twin = twin.replace(
        "settings.aria_checkpoint_interval = 0",
        "settings.log_bin = false",
    );
    assert_eq!(read(&twin).unwrap().cells(Scale::Full).len(), 8);
    assert!(
        read(&twin.replace("twin = true", "twin = false"))
            .unwrap_err()
            .contains("measure the same")
    );
}

proptest! {
    #[test]
    fn damaged_plan_is_a_plan_or_an_error(at in 0..PLAN.len(), length in 0usize..40, instead in "[a-z0-9=.\"\\[\\]{}\n-]{0,6}") {
        let mut text = PLAN.to_owned();
        text.replace_range(at..(at + length).min(PLAN.len()), &instead);
        if let Err(error) = read(&text) {
            prop_assert!(error.starts_with("logs.toml:"), "{error}");
        }
    }
}
