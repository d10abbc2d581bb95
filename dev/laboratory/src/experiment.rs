//! Experiment: a known cause of waits, put into a real server again and again.

use std::any::Any;
use std::path::Path;
use std::thread;
use std::time::Duration;

use logtrace_attribution::cause::Cause;
use logtrace_common::Flavor;
use logtrace_report::document::Document;

use crate::comparison::{Amount, CausePair, LoadReport, Time};
use crate::foreign::Foreign;
use crate::load::StatementLoad;
use crate::traced::traced;

/// Known cause of waits, and the name that reports must give it.
#[derive(Clone, Copy)]
pub struct Experiment {
    /// Name on the command line.
    pub name: &'static str,
    /// Sentence that says what is put in.
    pub put_in: &'static str,
    /// Name of the cause in reports.
    pub expected: &'static str,
    /// Returns whether a cause is the expected one.
    pub is_expected: fn(Flavor, &Cause) -> bool,
    /// Starts the server and its load.
    pub start: fn(Flavor) -> anyhow::Result<Setup>,
}

/// Server with a load, and the cause that can be put in.
pub struct Setup {
    /// The server.
    pub server: Foreign,
    /// Its load.
    pub load: StatementLoad,
    /// Time that is compared.
    pub time: Time,
    /// Puts the cause in for about this time, or, if it is `false`, lets the same time pass without it.
    pub put_in: Box<PutIn>,
    /// Disks and control groups, which outlive the server.
    pub held: Vec<Box<dyn Any>>,
}

/// Puts a cause in, or does not. Returns how much it was.
pub type PutIn = dyn FnMut(&Foreign, &StatementLoad, bool, Duration) -> anyhow::Result<Amount>;

/// Time of a window before the cause is put in, and after.
const EDGE: Duration = Duration::from_millis(300);

impl Setup {
    /// Creates a setup in which the time of commits and of other statements is compared.
    pub fn new(
        server: Foreign,
        load: StatementLoad,
        put_in: impl FnMut(&Foreign, &StatementLoad, bool, Duration) -> anyhow::Result<Amount> + 'static,
    ) -> Self {
        Self {
            server,
            load,
            time: Time::All,
            put_in: Box::new(put_in),
            held: Vec::new(),
        }
    }

    /// Compares another time.
    #[must_use]
    pub fn comparing(self, time: Time) -> Self {
        Self { time, ..self }
    }

    /// Drops a disk or a control group after the server.
    #[must_use]
    pub fn holding(mut self, held: impl Any) -> Self {
        self.held.push(Box::new(held));
        self
    }

    /// Traces windows without the cause and with it in turn, as many pairs as wanted, and passes each pair to `done`. The first
    /// of a pair alternates, so that a drift of the machine favours neither.
    pub fn pairs(
        &mut self,
        program: &Path,
        count: usize,
        length: Duration,
        done: &mut dyn FnMut(&CausePair),
    ) -> anyhow::Result<()> {
        for number in 0..count {
            let first = number % 2 == 1;
            let one = self.window(program, first, length)?;
            let other = self.window(program, !first, length)?;
            let ((without, base), (with, amount)) = if first { (other, one) } else { (one, other) };
            done(&CausePair {
                amount: amount.over(base, with.answered.per(without.answered)),
                without,
                with,
            });
        }
        Ok(())
    }

    fn window(
        &mut self,
        program: &Path,
        with: bool,
        length: Duration,
    ) -> anyhow::Result<(LoadReport, Amount)> {
        let Self {
            server,
            load,
            put_in,
            time,
            ..
        } = self;
        let (document, (answered, amount)) = traced(program, server, || {
            let before = load.answered();
            thread::sleep(EDGE);
            let amount = put_in(server, load, with, length)?;
            thread::sleep(EDGE);
            Ok((load.answered().since(before), amount))
        })?;
        check(&document)?;
        Ok((LoadReport::new(&document, *time, answered), amount))
    }

    /// Stops the load and the server.
    pub fn stop(self) -> anyhow::Result<()> {
        let Self {
            server,
            load,
            put_in,
            held,
            ..
        } = self;
        load.stop()?;
        drop(server);
        drop(put_in);
        drop(held);
        Ok(())
    }
}

/// Checks that the trace saw everything.
fn check(document: &Document) -> anyhow::Result<()> {
    let lost = document.tracer.as_ref().map_or(0, |tracer| tracer.lost);
    anyhow::ensure!(lost == 0, "{lost} records were lost");
    Ok(())
}

/// Returns nothing put in, after the time has passed.
pub fn nothing(length: Duration) -> anyhow::Result<Amount> {
    thread::sleep(length);
    Ok(Amount::Known(0))
}
