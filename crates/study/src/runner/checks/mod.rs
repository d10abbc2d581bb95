//! Checks of the machine and its servers before anything is measured.

pub(crate) mod settings_check;
pub(crate) mod storage_check;

use logtrace_measure::errors::{UsageError, with_causes};
use logtrace_measure::preflight;
use logtrace_measure::preflight::require;
use logtrace_server::{Binary, FileSystemFacts, Home, ServerChoice, check_program_owner, find};

use crate::cell::Cell;
use crate::order::cost_estimate::CostEstimate;
use crate::plan::Plan;
use crate::runner::plan_lookup::plan_error;
use crate::runner::server::kernel_settings;

/// Fails with everything that the machine lacks, or with the first option of the plan that is impossible here and its line.
pub fn preflight(
    plan: &Plan,
    (cells, living): (&[Cell], usize),
    home: &Home,
    trust_plan: bool,
) -> anyhow::Result<()> {
    for cell in cells {
        check_server(plan, cell, trust_plan, home)?;
        check_file_system(plan, cell)?;
        kernel_settings::check(plan, cell, home)?;
    }
    let connections = cells.iter().map(|cell| cell.connections.get()).max();
    let mut needed = vec![preflight::open_files(connections.unwrap_or(0))];
    if cells.iter().any(|cell| cell.detail.is_some()) {
        needed.push(preflight::privilege());
        needed.extend(preflight::tracing());
    }
    needed.extend(preflight::rights_of_root());
    needed.extend(preflight::private_server(home));
    require(&needed)?;
    check_disk(cells, living, home)
}

fn check_server(plan: &Plan, cell: &Cell, trust_plan: bool, home: &Home) -> Result<(), UsageError> {
    let error = |problem: String| plan_error(plan, cell, "server", problem);
    if let (ServerChoice::Binary(path), false) = (&cell.server, trust_plan) {
        check_program_owner(path).map_err(|problem| error(format!("{problem:#}")))?;
    }
    let found = match &cell.server {
        ServerChoice::Flavor(flavor) => find(Some(*flavor), home),
        ServerChoice::Binary(path) => Binary::inspect(path, home),
        // A plan never names a running server.
        ServerChoice::Running(_) => return Ok(()),
    };
    let binary = found.map_err(|problem| error(with_causes(problem)))?;
    match binary.flavor == cell.flavor {
        true => Ok(()),
        false => Err(error(format!("{} is a {}", binary.path.display(), binary.flavor))),
    }
}

fn check_file_system(plan: &Plan, cell: &Cell) -> Result<(), UsageError> {
    match cell.file_system.as_ref().map(|system| system.kind.tool()) {
        Some(Err(missing)) => {
            let problem = format!("{}. {}", missing.seen, missing.remedy);
            Err(plan_error(plan, cell, "file_system.kind", problem))
        }
        _ => Ok(()),
    }
}

fn check_disk(cells: &[Cell], living: usize, home: &Home) -> anyhow::Result<()> {
    let needed = CostEstimate::new(cells, living).disk;
    let mut existing = home.instances.ancestors();
    let Some(facts) = existing.find_map(|path| FileSystemFacts::of(path).ok()) else {
        return Ok(());
    };
    anyhow::ensure!(
        facts.free_bytes >= needed,
        "the study may need {:.1} GB in {}, the directory of private servers, and {:.1} GB are free: free some space, or \
         choose another directory with --home",
        needed as f64 / 1e9,
        home.instances.display(),
        facts.free_bytes as f64 / 1e9
    );
    Ok(())
}
