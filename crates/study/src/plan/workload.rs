//! Workload of a cell.

use logtrace_common::FileError;
use logtrace_driver::tpcc::{HomeWarehouse, TpccOptions};
use logtrace_driver::{
    Compat, Content, CustomWorkload, Dataset, Keys, Protocol, Requests, StatementGroup, UnknownWorkload,
    WorkloadInfo, WorkloadOptions,
};
use strum::VariantArray;

use crate::plan::option_layers::OptionLayers;

/// Function that reads a file that a plan names, or returns an error message.
pub type ReadFile<'a> = &'a dyn Fn(&str) -> Result<String, String>;

/// Default tables, as of `logtrace run`.
const TABLES: Dataset = Dataset {
    tables: 4,
    rows: 25_000,
    keys: Keys::Uniform,
    seed: 0,
};

/// Returns the requests that the options describe.
pub(crate) fn requests(
    options: &OptionLayers<'_>,
    files: ReadFile<'_>,
    is_closed: bool,
) -> Result<Requests, FileError> {
    let chosen = workload_options(options, is_closed)?;
    if chosen.tpcc.keying_times && !is_closed {
        return Err(options.error(
            "keying_times",
            "terminals with keying and think times are a closed loop: write rate = \"max\"",
        ));
    }
    let name = options
        .text("workload")?
        .unwrap_or_else(|| "update_key".to_owned());
    let requests = if name.ends_with(".toml") {
        let text = files(&name).map_err(|problem| options.error("workload", problem))?;
        let custom = CustomWorkload::read(&name, &text).map_err(|error| options.error("workload", error))?;
        Requests::of_file(custom, &chosen)
    } else {
        let info = WorkloadInfo::find(&name);
        let info = info.map_err(|error: UnknownWorkload| options.error("workload", error))?;
        Requests::new(info, &chosen)
    };
    requests.map_err(|error| options.error("workload", error))
}

fn workload_options(options: &OptionLayers<'_>, is_closed: bool) -> Result<WorkloadOptions, FileError> {
    let mut counts = Vec::new();
    for &group in StatementGroup::VARIANTS {
        let count = options.whole(group.as_str(), 0..=10_000)?;
        counts.extend(count.map(|count| (group, count)));
    }
    Ok(WorkloadOptions {
        compat: options.parsed::<Compat>("compat")?,
        counts,
        range_size: options.whole("range_size", 1..=2_147_483_647)?,
        skip_trx: options.flag("skip_trx")?,
        protocol: options.parsed::<Protocol>("protocol")?,
        tpcc: TpccOptions {
            warehouses: options.whole("warehouses", 1..=100_000)?,
            keying_times: options.flag("keying_times")?,
            home: match is_closed {
                true => HomeWarehouse::PerConnection,
                false => HomeWarehouse::PerRequest,
            },
        },
    })
}

/// Returns the tables, with the defaults of the program that `compat` names.
pub(crate) fn tables(options: &OptionLayers<'_>, requests: &Requests) -> Result<Dataset, FileError> {
    let is_script = matches!(requests.content(), Content::Script(_));
    let of_scripts = ["tables", "rows", "keys"];
    if let Some(option) = of_scripts
        .into_iter()
        .find(|option| !is_script && options.line(option).is_some())
    {
        return Err(options.error(option, requests.refuse(option)));
    }
    let compat: Option<Compat> = options.parsed("compat")?;
    let default = compat.and_then(Compat::tables).map_or(TABLES, |compat| Dataset {
        tables: compat.tables,
        rows: compat.rows,
        keys: compat.keys,
        ..TABLES
    });
    Ok(Dataset {
        tables: options.whole("tables", 1..=10_000)?.unwrap_or(default.tables),
        rows: options.whole("rows", 1..=2_147_483_647)?.unwrap_or(default.rows),
        keys: options.parsed("keys")?.unwrap_or(default.keys),
        seed: 0,
    })
}
