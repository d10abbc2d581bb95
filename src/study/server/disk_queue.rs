//! Queue settings of the disk under a server.

use std::path::Path;

use anyhow::Context;
use logtrace_server::{Home, QueueGuard, Server, check_queue, disk_under};
use logtrace_study::{Cell, Plan};

use crate::exit::{UsageError, with_causes};
use crate::study::plan_lookup::plan_error;

/// Fails if the disk under private servers does not have an attribute or a value that a cell sets.
pub(crate) fn check(plan: &Plan, cell: &Cell, home: &Home) -> Result<(), UsageError> {
    let existing = home.instances.ancestors().find(|path| path.exists());
    let directory = existing.unwrap_or(Path::new("/"));
    for setting in &cell.queue {
        let option = format!("queue.{}", setting.name);
        let fail = |problem: String| plan_error(plan, cell, &option, problem);
        let disk = disk_under(directory).map_err(|error| fail(with_causes(error)))?;
        let disk =
            disk.ok_or_else(|| fail(format!("there is no single disk under {}", directory.display())))?;
        check_queue(&disk, setting).map_err(|error| fail(with_causes(error)))?;
    }
    Ok(())
}

/// Sets the queue of the disk under a server's data, until the returned guard is dropped.
pub(crate) fn set(cell: &Cell, server: &Server, home: &Home) -> anyhow::Result<Option<QueueGuard>> {
    if cell.queue.is_empty() {
        return Ok(None);
    }
    let data = server
        .facts()
        .variables
        .get("datadir")
        .map_or("/", String::as_str);
    let disk = disk_under(Path::new(data))?;
    let disk = disk.with_context(|| format!("there is no single disk under {data}: leave queue out"))?;
    let guard = QueueGuard::set(&home.instances, &disk, &cell.queue);
    Ok(Some(guard?))
}
