//! Cells from options, with every check that needs no machine.

use std::num::NonZeroUsize;
use std::time::Duration;

use logtrace_common::{Detail, FileClass, FileError, Flavor, Sampling, Variable};
use logtrace_driver::{Arrivals, Pace, Rate};
use logtrace_server::{
    FileLocation, ImageConfig, ImageKind, KernelSetting, Placement, ServerChoice, check_placements,
    is_reserved,
};

use crate::cell::Cell;
use crate::plan::option_layers::OptionLayers;
use crate::plan::short_turns::{effect, repeated, short_turns};
use crate::plan::syntax::scalar;
use crate::plan::workload::{ReadFile, requests, tables};

/// Shortest window. Shorter ones would measure their own edges.
const SHORTEST: Duration = Duration::from_secs(1);
/// Default number of connections, as of `logtrace run`.
const CONNECTIONS: NonZeroUsize = NonZeroUsize::new(8).unwrap();
const WARMUP: Duration = Duration::from_secs(3);
const DURATION: Duration = Duration::from_secs(30);
/// Remedy for a setting of a disk's queue that cannot be read.
const QUEUE: &str = "write the name of a file in /sys/block/DEVICE/queue, and its content";
/// Remedy for a parameter of the kernel that cannot be read.
const SYSCTL: &str = "write the value of a parameter, such as sysctl.vm.dirty_bytes = 16777216";

/// Returns the server that the options name, and its flavor.
pub(crate) fn server(options: &OptionLayers<'_>) -> Result<(ServerChoice, Flavor), FileError> {
    let flavor: Option<Flavor> = options.word("flavor")?;
    let choice = options.parsed("server")?;
    let choice = choice.unwrap_or(ServerChoice::Flavor(flavor.unwrap_or(Flavor::MySql)));
    let (option, problem) = match (choice, flavor) {
        (ServerChoice::Flavor(one), other) if other.is_none_or(|other| other == one) => {
            return Ok((ServerChoice::Flavor(one), one));
        }
        (choice @ ServerChoice::Binary(_), Some(flavor)) => return Ok((choice, flavor)),
        (ServerChoice::Flavor(_), _) => ("flavor", "the server has the other flavor: leave this option out"),
        (ServerChoice::Binary(_), None) => (
            "server",
            "a path does not show the flavor: write flavor = \"mysql\" or \"mariadb\" next to it",
        ),
        (ServerChoice::Running(_), _) => (
            "server",
            "a study starts servers of its own: write \"mysql\", \"mariadb\" or the path of a mysqld",
        ),
    };
    Err(options.error(option, problem))
}

/// Returns the cell of these options.
pub(crate) fn cell(
    key: String,
    levels: Vec<(String, String)>,
    options: &OptionLayers<'_>,
    files: ReadFile<'_>,
) -> Result<Cell, FileError> {
    let (server, flavor) = server(options)?;
    let pace = pace(options)?;
    let requests = requests(options, files, pace == Pace::Closed)?;
    let mut settings = settings(options, "settings")?;
    let file_system = file_system(options)?;
    let places = places(options, flavor, &mut settings, file_system.as_ref())?;
    let connections = options.whole("connections", 1..=10_000)?;
    let connections = connections.and_then(|number| usize::try_from(number).ok());
    let (detail, sample) = tracing(options)?;
    let needs = options.time("needs")?;
    let data = options.word("data")?.unwrap_or_default();
    let turns = short_turns(options, data, &requests)?.filter(|_| needs.is_none());
    let (repeats, windows) = repeated(options, turns)?;
    Ok(Cell {
        key,
        levels,
        server,
        flavor,
        tables: tables(options, &requests)?,
        requests,
        data_per_pool: data_per_pool(options)?,
        settings,
        session: self::settings(options, "session")?,
        connections: connections.and_then(NonZeroUsize::new).unwrap_or(CONNECTIONS),
        pace,
        warmup: options.time("warmup")?.unwrap_or(WARMUP),
        duration: duration(options)?.max(needs.unwrap_or_default()),
        repeats,
        windows,
        turns,
        effect: effect(options)?,
        file_system,
        places,
        queue: kernel_settings(options, "queue", &[], QUEUE)?,
        sysctl: kernel_settings(options, "sysctl", &['.'], SYSCTL)?,
        data,
        detail,
        sample,
        stages: stages(options, flavor)?,
        lines: options.lines(),
    })
}

fn duration(options: &OptionLayers<'_>) -> Result<Duration, FileError> {
    let duration = options.time("duration")?.unwrap_or(DURATION);
    match duration < SHORTEST {
        true => Err(options.error("duration", format!("write at least {SHORTEST:?}"))),
        false => Ok(duration),
    }
}

fn pace(options: &OptionLayers<'_>) -> Result<Pace, FileError> {
    let arrivals = options.parsed("arrivals")?.unwrap_or(Arrivals::Poisson);
    if options.text("rate")?.is_none_or(|rate| rate == "max") {
        return Ok(Pace::Closed);
    }
    match options.parsed("rate")? {
        Some(Rate::PerSecond(rate_per_s)) => Ok(Pace::Open { rate_per_s, arrivals }),
        _ => Err(options.error(
            "rate",
            "a share of the capacity would be a different rate in each cell: write \"500/s\" or \"max\"",
        )),
    }
}

fn settings(options: &OptionLayers<'_>, table: &str) -> Result<Vec<Variable>, FileError> {
    let settings = options.of_table(table).map(|(name, value)| {
        let key = format!("{table}.{name}");
        let value =
            scalar(value).ok_or_else(|| options.error(&key, "a variable cannot have a list as its value"))?;
        let setting: Result<Variable, _> = format!("{name}={value}").parse();
        let setting = setting.map_err(|error| options.error(&key, error))?;
        match table == "settings" && is_reserved(&setting) {
            true => Err(options.error(
                &key,
                "logtrace sets this variable of private servers itself: leave it out",
            )),
            false => Ok(setting),
        }
    });
    settings.collect()
}

/// Reads settings of the kernel. Their names have small letters, digits, and `_` or one of the `others`; which of them there
/// are is checked with the machine.
fn kernel_settings(
    options: &OptionLayers<'_>,
    table: &str,
    others: &[char],
    write: &str,
) -> Result<Vec<KernelSetting>, FileError> {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let settings = options.of_table(table).map(|(name, value)| {
        let is_name = name.chars().all(|c| is_plain(c) || others.contains(&c));
        let value = scalar(value).filter(|_| is_name);
        let value = value.ok_or_else(|| options.error(&format!("{table}.{name}"), write))?;
        let name = name.to_owned();
        Ok(KernelSetting { name, value })
    });
    settings.collect()
}

fn data_per_pool(options: &OptionLayers<'_>) -> Result<Option<f64>, FileError> {
    const POOL: &str = "innodb_buffer_pool_size";
    let ratio = options.positive("data_per_pool")?;
    match options.line(&format!("settings.{POOL}")) {
        Some(line) if ratio.is_some() => Err(options.error(
            "data_per_pool",
            format!("it decides the size of the buffer pool: remove {POOL} from line {line}"),
        )),
        _ => Ok(ratio),
    }
}

/// Reads `stages`. The Performance Schema times stages, and it is off by default on MariaDB.
fn stages(options: &OptionLayers<'_>, flavor: Flavor) -> Result<bool, FileError> {
    const SCHEMA: &str = "settings.performance_schema";
    let stages = options.flag("stages")?;
    let is_on = options.text(SCHEMA)?.map(|value| !is_off(&value));
    match stages && !is_on.unwrap_or(flavor == Flavor::MySql) {
        true => Err(options.error(
            "stages",
            format!("the Performance Schema of {flavor} times stages, and it is off: write {SCHEMA} = true"),
        )),
        false => Ok(stages),
    }
}

/// Returns whether a value switches a variable off.
fn is_off(value: &str) -> bool {
    ["0", "off", "false"].contains(&value.to_ascii_lowercase().as_str())
}

fn tracing(options: &OptionLayers<'_>) -> Result<(Option<Detail>, Sampling), FileError> {
    let sample: Sampling = options.parsed("sample")?.unwrap_or_default();
    match options.text("detail")?.as_deref() {
        Some("none") if sample.has_gaps() => Err(options.error(
            "sample",
            "detail = \"none\" traces nothing: leave one of the two out",
        )),
        Some("none") => Ok((None, sample)),
        _ => Ok((Some(options.parsed("detail")?.unwrap_or_default()), sample)),
    }
}

fn file_system(options: &OptionLayers<'_>) -> Result<Option<ImageConfig>, FileError> {
    let kind = options.text("file_system.kind")?;
    let size = options.parsed("file_system.size")?.unwrap_or_default();
    let make_options = options.texts("file_system.mkfs")?;
    let mount = options.text("file_system.mount")?.unwrap_or_default();
    let mount_options = mount.split(',').map(str::trim);
    let mount_options = mount_options.filter(|option| !option.is_empty());
    match (kind.as_deref(), options.of_table("file_system").next()) {
        (Some("none"), _) | (None, None) => Ok(None),
        (Some(_), _) => {
            let kind: Option<ImageKind> = options.parsed("file_system.kind")?;
            Ok(kind.map(|kind| ImageConfig {
                kind,
                size,
                make_options,
                mount_options: mount_options.map(str::to_owned).collect(),
            }))
        }
        (None, Some((name, _))) => Err(options.error(
            &format!("file_system.{name}"),
            "the kind of the file system is missing: write kind = \"ext4\", \"xfs\" or \"btrfs\" next to it",
        )),
    }
}

/// Reads the locations of files. A binary log that is off has no location; one with a location is on, so `log_bin` is dropped.
fn places(
    options: &OptionLayers<'_>,
    flavor: Flavor,
    settings: &mut Vec<Variable>,
    file_system: Option<&ImageConfig>,
) -> Result<Vec<Placement>, FileError> {
    let is_log_bin = |setting: &Variable| setting.name() == "log_bin";
    let no_binlog = settings
        .iter()
        .any(|setting| is_log_bin(setting) && is_off(setting.value()));
    let mut places = Vec::new();
    for (class, _) in options.of_table("place") {
        let place = place(options, class, file_system)?;
        places.extend(place.filter(|place| !(place.class == FileClass::Binlog && no_binlog)));
    }
    if places.iter().any(|place| place.class == FileClass::Binlog) {
        settings.retain(|setting| !is_log_bin(setting));
    }
    for place in &places {
        // Directories of the plan may not exist on this machine.
        let placement = Placement {
            class: place.class,
            place: FileLocation::Directory("/".into()),
        };
        let checked = placement.check_server(flavor, settings);
        let checked = checked.and_then(|()| Ok(check_placements(&[placement], settings)?));
        checked.map_err(|error| options.error(&format!("place.{}", place.class), error))?;
    }
    Ok(places)
}

fn place(
    options: &OptionLayers<'_>,
    class: &str,
    file_system: Option<&ImageConfig>,
) -> Result<Option<Placement>, FileError> {
    let key = format!("place.{class}");
    let fail = |problem: &str| Err(options.error(&key, problem));
    let placement: Result<Placement, _> = format!("{class}=/").parse();
    let class = placement.map_err(|error| options.error(&key, error))?.class;
    let is_query_log = matches!(class, FileClass::SlowLog | FileClass::GeneralLog);
    let text = options.text(&key)?.unwrap_or_default();
    let place = match (text.as_str(), file_system) {
        ("default", _) => return Ok(None),
        ("own", Some(image)) => FileLocation::Volume(image.clone()),
        ("own", None) => {
            return fail(
                "\"own\" is a file system like that of the server, and the server has none: write file_system = \"ext4\"",
            );
        }
        ("tmpfs", image) => FileLocation::Tmpfs(image.map(|image| image.size).unwrap_or_default()),
        ("nothing", _) if is_query_log => FileLocation::Nothing,
        ("nothing", _) => return fail("only slow_log and general_log can be discarded"),
        (path, _) if path.starts_with('/') => FileLocation::Directory(path.into()),
        (other, _) => {
            return fail(&format!(
                "{other:?} is not a location: write own, tmpfs, nothing, default, or a directory that starts with /"
            ));
        }
    };
    Ok(Some(Placement { class, place }))
}
