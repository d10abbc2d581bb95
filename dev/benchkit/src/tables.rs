//! The tables that both clients use: sysbench's own names.

use std::num::NonZeroUsize;

use anyhow::Context;
use logtrace_common::Connection;
use logtrace_driver::{Dataset, Keys, LoadConfig, Requests, Target, WorkloadInfo};

/// Their database.
pub const DATABASE: &str = "logtrace_client";

/// Their sizes.
pub const DATASET: Dataset = Dataset {
    tables: 4,
    rows: 10_000,
    keys: Keys::Uniform,
    seed: 1,
};

const LOADERS: NonZeroUsize = NonZeroUsize::new(4).expect("four connections");

/// Makes them.
pub fn load(server: &Connection, workload: &'static WorkloadInfo) -> anyhow::Result<()> {
    let config = LoadConfig {
        target: Target::new(server, DATABASE),
        requests: Requests::plain(workload),
        dataset: DATASET,
        create_database: true,
        connections: LOADERS,
        session: Vec::new(),
        globals: Vec::new(),
    };
    logtrace_driver::load(&config, &mut |_| {}).context("cannot make the tables")?;
    Ok(())
}
