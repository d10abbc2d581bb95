//! Check that the file systems and directories of a plan can be used, before anything is measured.

use logtrace_measure::errors::with_causes;
use logtrace_server::{ServerError, check_storage};

use crate::cell::Cell;
use crate::runner::context::StudyContext;
use crate::runner::plan_lookup::plan_error;
use crate::runner::server::cell_config::{settings, storage};

/// Makes each file system of the cells once, and tries each directory. Fails with the first that cannot be used, and with its
/// line in the plan.
pub(crate) async fn check_file_systems(study: StudyContext<'_>, cells: &[&Cell]) -> anyhow::Result<()> {
    let mut tried = Vec::new();
    for cell in cells {
        let wanted_by_cell = (cell.flavor, &cell.file_system, &cell.places);
        if (cell.file_system.is_none() && cell.places.is_empty()) || tried.contains(&wanted_by_cell) {
            continue;
        }
        tried.push(wanted_by_cell);
        study.line.say("checking the file systems of the plan");
        let (storage, settings, log) = (storage(cell), settings(cell), study.dir.server_log(0)?);
        let checked = check_storage(&storage, cell.flavor, &settings, study.home, &log);
        let checked = study.signals.unless_ended(checked).await?;
        checked.map_err(|error| {
            let option = option(cell, &error);
            plan_error(study.plan, cell, &option, with_causes(error))
        })?;
    }
    Ok(())
}

/// Returns the option of the plan that an error is about.
fn option(cell: &Cell, error: &ServerError) -> String {
    let named = match error {
        ServerError::Make(_) => "file_system.mkfs",
        ServerError::Mount { .. } => "file_system.mount",
        ServerError::NoRoom(_) => "file_system.size",
        ServerError::Placement { class, .. } => return format!("place.{class}"),
        _ => "file_system.kind",
    };
    match cell.line(named) {
        Some(_) => named.to_owned(),
        None => "file_system.kind".to_owned(),
    }
}
