//! `logtrace study`: servers measured under many settings.

use std::path::PathBuf;

use anyhow::Context;
use logtrace_measure::run::CpuPlacement;
use logtrace_measure::say;
use logtrace_server::memory_bytes;
use logtrace_study::runner::{
    Overrides, Pilot, StudyDir, StudyProgress, StudyRequest, StudyRunner, built_in, chosen_cells, find,
    overview, preflight, size_line, summary,
};
use logtrace_study::{Cell, Plan, living_servers, render, study_steps};

use super::left_servers::name_left;
use super::measure_and_report::in_event_loop;
use super::print::{has_color, print};
use crate::cli::study::{StudyArgs, StudyCommand, StudyExtentArgs, StudyRunArgs, StudyShowArgs};
use crate::exit::{Exit, UsageError};
use crate::handover::hand_over;

/// Lists studies, shows one, or measures one.
pub(crate) fn study(arguments: &StudyArgs) -> anyhow::Result<Exit> {
    match &arguments.command {
        Some(StudyCommand::List) => list(),
        Some(StudyCommand::Show(arguments)) => show(arguments),
        None => measure(&arguments.run),
    }
}

fn list() -> anyhow::Result<Exit> {
    let plans = built_in()?;
    let rows = plans
        .iter()
        .map(|plan| format!("{:12} {}\n", plan.name, plan.title));
    print(&rows.collect::<String>())?;
    Ok(Exit::Done)
}

fn show(arguments: &StudyShowArgs) -> anyhow::Result<Exit> {
    // It is shown alone.
    let plan = find(&arguments.plan, true)?;
    let cells = cells(&plan, &arguments.extent)?;
    print(&overview(&plan, arguments.extent.scale, &cells, living(&cells)))?;
    Ok(Exit::Done)
}

/// Returns the cells that the arguments choose.
fn cells(plan: &Plan, extent: &StudyExtentArgs) -> Result<Vec<Cell>, UsageError> {
    let mut cells = chosen_cells(&extent.only, &plan.axes, plan.cells(extent.scale))?;
    let overrides = overrides(extent);
    cells.iter_mut().for_each(|cell| overrides.apply(cell));
    Ok(cells)
}

/// Returns how many servers of these cells run side by side here: one, if the memory is unknown.
fn living(cells: &[Cell]) -> usize {
    living_servers(cells, memory_bytes().unwrap_or(0))
}

fn overrides(extent: &StudyExtentArgs) -> Overrides {
    Overrides {
        duration: extent.duration,
        warmup: extent.warmup,
        repeats: extent.repeats,
    }
}

fn measure(arguments: &StudyRunArgs) -> anyhow::Result<Exit> {
    arguments.quiet.apply();
    let extent = &arguments.extent;
    let name = arguments.plan.as_deref().context("no study is named")?;
    let plan = find(name, arguments.trust_plan)?;
    let cells = cells(&plan, extent)?;
    let living = living(&cells);
    let home = arguments.home.home();
    let cpus = arguments.cpus.placement(None)?;
    preflight(&plan, (&cells, living), &home, arguments.trust_plan)?;
    name_left(&home, None);
    if arguments.dry_run {
        let pilot = Pilot {
            plan: &plan,
            cells: &cells,
            living,
            home: &home,
            cpus: &cpus,
        };
        return measure_pilot(&pilot, request(&plan, extent, &cpus));
    }
    let request = request(&plan, extent, &cpus);
    let default = || PathBuf::from("logtrace-studies").join(format!("{}-{}", request.plan, request.scale));
    let out = arguments.out.clone().unwrap_or_else(default);
    let (dir, mut progress) =
        StudyDir::open(&out, &StudyProgress::new(request), plan.text(), arguments.resume)?;
    announce(&plan, extent, &cells, living);
    cpus.take_client()?;
    let runner = StudyRunner {
        dir: &dir,
        plan: &plan,
        cells: &cells,
        steps: &study_steps(&cells, extent.seed, living),
        living,
        home: &home,
        cpus: &cpus,
    };
    in_event_loop(async |signals| runner.run(&mut progress, signals).await)
        .inspect_err(|_| dir.release_if_empty())?;
    let report = summary(&runner, extent.scale, &progress)?;
    hand_over(&out).with_context(|| format!("cannot give {} to the user who ran sudo", out.display()))?;
    let text = render::terminal(&report, has_color());
    let place = out.join("report.html");
    print(&format!("{text}\nreport: {}\n", place.display()))?;
    let is_whole = report.measured == report.turns && report.short_turns == report.planned_short_turns;
    Ok(match is_whole {
        true => Exit::Done,
        false => Exit::Degraded,
    })
}

/// Returns everything that decides the measurements.
fn request(plan: &Plan, extent: &StudyExtentArgs, cpus: &CpuPlacement) -> StudyRequest {
    StudyRequest {
        plan: plan.name.clone(),
        scale: extent.scale.as_str().to_owned(),
        seed: extent.seed,
        only: extent.only.iter().map(ToString::to_string).collect(),
        overrides: overrides(extent),
        cpus: cpus.arguments(),
    }
}

/// Prints the size of the study on stderr.
fn announce(plan: &Plan, extent: &StudyExtentArgs, cells: &[Cell], living: usize) {
    let line = format!("{}: {}", plan.name, size_line(extent.scale, cells, living));
    say::progress(&line);
}

/// Measures the pilot of a study, and prints what the study would show.
fn measure_pilot(pilot: &Pilot<'_>, request: StudyRequest) -> anyhow::Result<Exit> {
    pilot.cpus.take_client()?;
    let noise = in_event_loop(async |signals| pilot.measure(request, signals).await)?;
    print(&pilot.text(&noise))?;
    Ok(Exit::Done)
}
