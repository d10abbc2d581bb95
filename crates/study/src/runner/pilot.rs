//! Dry run of a study: a pilot of equal short turns, and what it says about the plan.

use std::fmt::Write;

use anyhow::Context;
use humantime::format_duration;
use logtrace_measure::errors::UsageError;
use logtrace_measure::measurement::Signals;
use logtrace_measure::run::CpuPlacement;
use logtrace_server::Home;

use crate::cell::Cell;
use crate::order::cost_estimate::CostEstimate;
use crate::order::pilot::{TurnNoise, pilot_cells, turn_noise};
use crate::order::study_steps;
use crate::plan::Plan;
use crate::results::StudyResults;
use crate::runner::directory::StudyDir;
use crate::runner::directory::progress_file::StudyProgress;
use crate::runner::directory::request::StudyRequest;
use crate::runner::directory::turn_log::TurnLog;
use crate::runner::measure::StudyRunner;
use crate::runner::overview::rounded;

/// Study whose pilot is measured.
#[derive(Debug)]
pub struct Pilot<'a> {
    /// Plan.
    pub plan: &'a Plan,
    /// Cells of the study.
    pub cells: &'a [Cell],
    /// Number of servers that run side by side.
    pub living: usize,
    /// Directories for private servers.
    pub home: &'a Home,
    /// CPUs of the servers and of logtrace.
    pub cpus: &'a CpuPlacement,
}

impl Pilot<'_> {
    /// Measures the pilot in a directory that is removed afterwards. Returns the noise of its cells, without those that a
    /// signal left unmeasured.
    pub async fn measure(&self, request: StudyRequest, signals: &Signals) -> anyhow::Result<Vec<TurnNoise>> {
        let cells = pilot_cells(self.cells);
        if cells.is_empty() {
            let problem = format!(
                "no cell has short turns at this scale, so a pilot has nothing to measure: the study takes about {}. Write turns = 4 \
                 into the plan, or choose another --scale",
                self.time(0)
            );
            return Err(UsageError(problem).into());
        }
        let place = tempfile::Builder::new().prefix("logtrace-pilot-").tempdir();
        let place = place.context("cannot make a directory for the pilot")?;
        let steps = study_steps(&cells, request.seed, self.living);
        let new = StudyProgress::new(request);
        let (dir, mut progress) = StudyDir::open(place.path(), &new, self.plan.text(), false)?;
        let runner = StudyRunner {
            dir: &dir,
            plan: self.plan,
            cells: &cells,
            steps: &steps,
            living: self.living,
            home: self.home,
            cpus: self.cpus,
        };
        runner.run(&mut progress, signals).await?;
        let mut results = StudyResults::default();
        TurnLog::read(&dir)?.add_to(&mut results);
        let noise = turn_noise(&cells, &results);
        anyhow::ensure!(
            !noise.is_empty(),
            "the pilot ended before five pairs of turns of a cell were measured"
        );
        Ok(noise)
    }

    /// Returns the noise of each cell, and what the study would show.
    pub fn text(&self, noise: &[TurnNoise]) -> String {
        let mut text =
            "Two equal short turns differ here by (standard deviation of their ratio)\n\n".to_owned();
        for one in noise {
            let (figure, percent) = (one.figure.to_string(), 100.0 * one.deviation.exp_m1());
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "  {:<40} {percent:5.1} % of {figure}, {} pairs",
                one.cell, one.pairs
            );
        }
        text.push('\n');
        text += &self.visible_text(noise);
        text
    }

    /// Returns the smallest effect that the plan would show, and the turns that its aim needs.
    fn visible_text(&self, noise: &[TurnNoise]) -> String {
        let planned = noise.iter().filter_map(|one| {
            let cell = self.cells.iter().find(|cell| cell.key == one.cell)?;
            Some((one, cell.repeats, cell.turns?.count))
        });
        let visible = |(one, repeats, turns): &(&TurnNoise, u32, u32)| one.visible(*repeats, *turns);
        let Some((noisiest, repeats, turns)) =
            planned.max_by(|one, other| visible(one).total_cmp(&visible(other)))
        else {
            return String::new();
        };
        let shown = 100.0 * noisiest.visible(repeats, turns);
        let mut text = format!(
            "{repeats} repeats of {turns} turns: 8 of 10 such studies would show an effect of {shown:.1} % in the noisiest of \
             these cells.\n"
        );
        text += &match self.cells.iter().filter_map(|cell| cell.effect).reduce(f64::min) {
            None => {
                "The plan has no aim: write effect = \"5%\" to see how many turns that needs.\n".to_owned()
            }
            Some(effect) => self.needed_text(noisiest, (repeats, turns), effect),
        };
        text + "A study has cells that the pilot has not, and starts its servers anew for each repeat: it may show less.\n"
    }

    fn needed_text(&self, noise: &TurnNoise, (repeats, turns): (u32, u32), effect: f64) -> String {
        let aim = format!("The plan's aim is {:.1} %", 100.0 * effect);
        match noise.turns_for(effect, repeats) {
            None => format!("{aim}, which is out of reach with {repeats} repeats: choose more --repeats.\n"),
            Some(needed) if needed <= turns => format!("{aim}, which these turns show.\n"),
            Some(needed) => format!(
                "{aim}, which needs turns = {needed}: about {} in place of {}.\n",
                self.time(needed),
                self.time(0)
            ),
        }
    }

    /// Estimates the time of the study if each cell with short turns has at least so many.
    fn time(&self, turns: u32) -> humantime::FormattedDuration {
        let mut cells = self.cells.to_vec();
        for own in cells.iter_mut().filter_map(|cell| cell.turns.as_mut()) {
            own.count = own.count.max(turns);
        }
        format_duration(rounded(CostEstimate::new(&cells, self.living).time))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::scale::Scale;
    use crate::results::figure::Figure;

    fn text(deviation: f64, effect: &str) -> String {
        let plan = format!(
            "name = \"pilot\"\ntitle = \"Pilot\"\n[base]\nrepeats = 6\nturns = 4\n{effect}\n[[axis]]\nname = \"server\"\n\
             level = [{{ name = \"mysql\", server = \"mysql\" }}]\n"
        );
        let plan = Plan::read("pilot.toml", &plan, &|_| Err(String::new())).unwrap();
        let pilot = Pilot {
            plan: &plan,
            cells: plan.cells(Scale::Quick),
            living: 1,
            home: &Home::default(),
            cpus: &CpuPlacement::default(),
        };
        pilot.text(&[TurnNoise {
            cell: "mysql".to_owned(),
            figure: Figure::Throughput,
            pairs: 12,
            deviation,
        }])
    }

    #[test]
    fn the_text_says_whether_the_turns_suffice_for_the_aim() {
        let quiet = text(0.05, "effect = \"5%\"");
        assert!(quiet.contains("effect of 3.6 %"), "{quiet}");
        assert!(quiet.contains("5.0 %, which these turns show"), "{quiet}");
        let noisy = text(0.1, "effect = \"5%\"");
        assert!(noisy.contains("effect of 7.4 %"), "{noisy}");
        assert!(noisy.contains("which needs turns = 9: about"), "{noisy}");
        let hopeless = text(0.1, "effect = \"0.1%\"");
        assert!(hopeless.contains("out of reach with 6 repeats"), "{hopeless}");
        assert!(text(0.1, "").contains("has no aim"));
    }
}
