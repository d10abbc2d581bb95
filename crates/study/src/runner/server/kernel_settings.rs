//! Settings of the kernel for a cell: the queue of the disk under its server, and parameters of `sysctl`.

use std::path::Path;

use anyhow::Context;
use logtrace_measure::errors::{UsageError, with_causes};
use logtrace_server::{Home, KernelPlace, KernelSettingsGuard, Server, check_kernel_setting, disk_under};

use crate::cell::Cell;
use crate::plan::Plan;
use crate::runner::plan_lookup::plan_error;

/// Fails if the machine, or the disk under private servers, does not have a setting that a cell changes.
pub(crate) fn check(plan: &Plan, cell: &Cell, home: &Home) -> Result<(), UsageError> {
    let existing = home.instances.ancestors().find(|path| path.exists());
    let directory = existing.unwrap_or(Path::new("/"));
    for setting in &cell.queue {
        let option = format!("queue.{}", setting.name);
        let fail = |problem: String| plan_error(plan, cell, &option, problem);
        let disk = disk_under(directory).map_err(|error| fail(with_causes(error)))?;
        let disk =
            disk.ok_or_else(|| fail(format!("there is no single disk under {}", directory.display())))?;
        let checked = check_kernel_setting(&KernelPlace::Queue(disk), setting);
        checked.map_err(|error| fail(with_causes(error)))?;
    }
    for setting in &cell.sysctl {
        let option = format!("sysctl.{}", setting.name);
        let checked = check_kernel_setting(&KernelPlace::Sysctl, setting);
        checked.map_err(|error| plan_error(plan, cell, &option, with_causes(error)))?;
    }
    Ok(())
}

/// Changes the queue of the disk under a server's data and the parameters of the kernel, until the returned guards are
/// dropped.
pub(crate) fn set(cell: &Cell, server: &Server, home: &Home) -> anyhow::Result<Vec<KernelSettingsGuard>> {
    let mut guards = Vec::new();
    if !cell.queue.is_empty() {
        let variables = &server.facts().variables;
        let data = variables.get("datadir").map_or("/", String::as_str);
        let disk = disk_under(Path::new(data))?;
        let disk = disk.with_context(|| format!("there is no single disk under {data}: leave queue out"))?;
        let place = KernelPlace::Queue(disk);
        guards.push(KernelSettingsGuard::set(&home.instances, &place, &cell.queue)?);
    }
    if !cell.sysctl.is_empty() {
        let place = KernelPlace::Sysctl;
        guards.push(KernelSettingsGuard::set(&home.instances, &place, &cell.sysctl)?);
    }
    Ok(guards)
}
