//! `logtrace study`: a server measured under many settings.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

use anyhow::Context;
use logtrace_study::{Cell, Plan, render, turns};

use super::measure_and_report::in_event_loop;
use super::print::print;
use crate::cli::study::{StudyArgs, StudyCommand, StudyExtentArgs, StudyRunArgs, StudyShowArgs};
use crate::exit::{Exit, UsageError};
use crate::study::{
    Asked, Overrides, State, StudyDir, Work, built_in, chosen, extent, find, outline, preflight, summary,
};

/// Lists, shows, or measures.
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
    let plan = find(&arguments.plan)?;
    let cells = cells(&plan, &arguments.extent)?;
    print(&outline(&plan, arguments.extent.scale, &cells))?;
    Ok(Exit::Done)
}

/// Returns the cells of the chosen levels.
fn cells(plan: &Plan, extent: &StudyExtentArgs) -> Result<Vec<Cell>, UsageError> {
    let mut cells = chosen(&extent.only, &plan.axes, plan.cells(extent.scale))?;
    let overrides = overrides(extent);
    cells.iter_mut().for_each(|cell| overrides.apply(cell));
    Ok(cells)
}

fn overrides(extent: &StudyExtentArgs) -> Overrides {
    Overrides {
        duration: extent.duration,
        warmup: extent.warmup,
        repeats: extent.repeats,
    }
}

fn measure(arguments: &StudyRunArgs) -> anyhow::Result<Exit> {
    let asked = &arguments.extent;
    let name = arguments.plan.as_deref().context("no study is named")?;
    let plan = find(name)?;
    let cells = cells(&plan, asked)?;
    let turns = turns(&cells, asked.seed);
    let home = arguments.home.home();
    preflight(&plan, &cells, &home)?;
    let asked = Asked {
        plan: plan.name.clone(),
        scale: asked.scale.as_str().to_owned(),
        seed: asked.seed,
        only: asked.only.iter().map(ToString::to_string).collect(),
        overrides: overrides(asked),
    };
    let default = || PathBuf::from("logtrace-studies").join(format!("{}-{}", asked.plan, asked.scale));
    let out = arguments.out.clone().unwrap_or_else(default);
    let (dir, mut state) = StudyDir::open(&out, &State::new(asked), plan.text(), arguments.resume)?;
    // A closed stderr leaves no place for the line.
    let _ = writeln!(
        io::stderr(),
        "{}: {}",
        plan.name,
        extent(arguments.extent.scale, &cells)
    );
    let work = Work {
        dir: &dir,
        plan: &plan,
        cells: &cells,
        turns: &turns,
        home: &home,
    };
    in_event_loop(async |interrupts| work.go_on(&mut state, interrupts).await)
        .inspect_err(|_| dir.give_up())?;
    let report = summary(&work, arguments.extent.scale, &state)?;
    let color = io::stdout().is_terminal();
    let text = render::terminal(&report, color);
    let place = out.join("report.md");
    print(&format!("{text}\nreport: {}\n", place.display()))?;
    Ok(match report.measured == report.turns {
        true => Exit::Done,
        false => Exit::Degraded,
    })
}
