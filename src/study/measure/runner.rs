//! All turns of a study, one after the other: what fails is told and the rest goes on.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use humantime::format_duration;
use logtrace_server::{Home, enter_mount_namespace};
use logtrace_study::{Cell, Plan, Turn};

use crate::measurement::{Interrupted, Line, Signals};
use crate::study::checks::settings_check::{Checked, SettingsCheck};
use crate::study::checks::storage_check::check_all;
use crate::study::directory::progress_file::{Account, Failure, State};
use crate::study::directory::study_dir::StudyDir;
use crate::study::measure::turn::Turns;
use crate::study::server::cell_config::needs_mounts;
use crate::study::server::shared_server::Host;

/// A study that can be worked on.
#[derive(Debug)]
pub(crate) struct Work<'a> {
    /// Where it is kept.
    pub(crate) dir: &'a StudyDir,
    /// Its plan.
    pub(crate) plan: &'a Plan,
    /// Its cells.
    pub(crate) cells: &'a [Cell],
    /// All of its turns.
    pub(crate) turns: &'a [Turn],
    /// Where private servers are made.
    pub(crate) home: &'a Home,
}

/// How the work ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// Each turn was tried.
    Done,
    /// By a signal.
    Interrupted,
}

impl Work<'_> {
    /// Measures the turns that are not measured yet. The state is kept after each.
    pub(crate) async fn go_on(&self, state: &mut State, interrupts: &Signals) -> anyhow::Result<Ended> {
        if self.cells.iter().any(needs_mounts) {
            // Before any thread is started: those that were started outside stay there.
            enter_mount_namespace()?;
        }
        let line = Line::start("looking what is measured already");
        let left: Vec<&Turn> = self.turns.iter().filter(|turn| !self.is_measured(turn)).collect();
        let mut clock = Clock::start(state.account);
        let mut host = Host::new(self.dir, self.home, state.asked.seed, interrupts);
        let checked = self.check(&self.cells_of(&left), interrupts, &line).await?;
        let is_over = match checked {
            Some(checked) => load(&mut host, checked, &mut clock, &line).await,
            None => false,
        };
        let ended = match is_over {
            true => Ok(Ended::Interrupted),
            false => {
                self.measure(&left, &mut host, (&mut *state, &mut clock), &line)
                    .await
            }
        };
        let stopped = host.stop(&line).await;
        state.account = clock.stop();
        line.clear();
        self.dir.keep(state)?;
        stopped.and(ended)
    }

    /// Measures turns one after the other.
    async fn measure(
        &self,
        left: &[&Turn],
        host: &mut Host<'_>,
        (state, clock): (&mut State, &mut Clock),
        line: &Line,
    ) -> anyhow::Result<Ended> {
        let interrupts = host.interrupts();
        for (number, turn) in left.iter().enumerate() {
            let cell = &self.cells[turn.cell];
            let planned = self.planned(&left[number..]);
            line.lead(format!(
                "turn {} of {}{} · {} · ",
                self.turns.len() - left.len() + number + 1,
                self.turns.len(),
                clock.left(planned),
                cell.key
            ));
            let turns = Turns {
                dir: self.dir,
                interrupts,
            };
            let measuring = turns.measure(host, cell, turn, line, &mut clock.account);
            let result = interrupts.unless_aborted(measuring).await;
            let result = result.map_err(Into::into).flatten();
            clock.turn_over(planned - self.planned(&left[number + 1..]));
            clock.account.turns += u32::from(result.is_ok());
            if result.is_err() && !interrupts.end.is_cancelled() {
                host.give_up();
            }
            let is_over = note(state, cell, turn, result, line);
            state.account = clock.account;
            self.dir.keep(state)?;
            if is_over || interrupts.end.is_cancelled() {
                return Ok(Ended::Interrupted);
            }
        }
        Ok(Ended::Done)
    }

    /// The cells of these turns, each once.
    fn cells_of(&self, turns: &[&Turn]) -> Vec<&Cell> {
        let mut cells: Vec<&Cell> = turns.iter().map(|turn| &self.cells[turn.cell]).collect();
        cells.sort_by_key(|cell| &cell.key);
        cells.dedup_by_key(|cell| &cell.key);
        cells
    }

    /// Asks file systems and servers whether they take what the plan says. The server that was asked last still runs.
    async fn check<'c>(
        &self,
        cells: &[&'c Cell],
        interrupts: &Signals,
        line: &Line,
    ) -> anyhow::Result<Option<Checked<'c>>> {
        let places = (self.dir, self.home);
        let checked = check_all(self.plan, cells, places, interrupts, line);
        interrupts.unless_aborted(checked).await??;
        let check = SettingsCheck {
            plan: self.plan,
            dir: self.dir,
            home: self.home,
            interrupts,
            line,
        };
        interrupts.unless_aborted(check.check(cells)).await?
    }

    fn is_measured(&self, turn: &Turn) -> bool {
        self.dir.measured(&self.cells[turn.cell], turn).is_some()
    }

    /// Load of these turns.
    fn planned(&self, turns: &[&Turn]) -> Duration {
        let cells = turns.iter().map(|turn| &self.cells[turn.cell]);
        cells.map(|cell| cell.warmup + cell.duration).sum()
    }
}

/// Has a server that runs load data; whether a signal ended it. What else goes wrong is told when a turn needs the data.
async fn load(host: &mut Host<'_>, checked: Checked<'_>, clock: &mut Clock, line: &Line) -> bool {
    let loaded = host.load(checked, line, &mut clock.account).await;
    loaded.is_err_and(|error| error.is::<Interrupted>())
}

/// Notes what became of a turn; whether a signal ended it.
fn note(state: &mut State, cell: &Cell, turn: &Turn, result: anyhow::Result<()>, line: &Line) -> bool {
    let repeat = turn.repeat + 1;
    match result {
        Ok(()) => {
            state.forget(&cell.key, repeat);
            false
        }
        Err(error) if error.is::<Interrupted>() => true,
        Err(error) => {
            let failure = Failure {
                cell: cell.key.clone(),
                repeat,
                error: format!("{error:#}"),
            };
            line.beside(|| {
                // Nothing is left to tell it to when stderr is gone.
                let _ = writeln!(io::stderr(), "{} ({repeat}): {}", failure.cell, failure.error);
            });
            state.fail(failure);
            false
        }
    }
}

/// Where the time goes, and how much is left.
struct Clock {
    begun: Instant,
    earlier: Duration,
    account: Account,
    /// Load of the turns that are over.
    over: Duration,
}

impl Clock {
    fn start(account: Account) -> Self {
        Self {
            begun: Instant::now(),
            earlier: account.wall,
            account,
            over: Duration::ZERO,
        }
    }

    /// A turn with so much load is over.
    fn turn_over(&mut self, load: Duration) {
        self.over += load;
        self.account.wall = self.earlier + self.begun.elapsed();
    }

    fn stop(mut self) -> Account {
        self.turn_over(Duration::ZERO);
        self.account
    }

    /// How long turns with so much load take, when those so far tell; in words.
    fn left(&self, load: Duration) -> String {
        if self.over.is_zero() {
            return String::new();
        }
        let a_second = self.begun.elapsed().as_secs_f64() / self.over.as_secs_f64();
        let left = Duration::from_secs(load.mul_f64(a_second).as_secs());
        format!(", {} left", format_duration(left))
    }
}
