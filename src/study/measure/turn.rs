//! One turn: a server as the cell needs it, one window, and a run directory.

use std::time::Instant;

use crate::run_dir::RunDir;
use anyhow::bail;
use jiff::Zoned;
use logtrace_study::{Cell, Turn};

use crate::measurement::{Line, Outputs, Signals};
use crate::run::{results, window};
use crate::study::directory::progress_file::Account;
use crate::study::directory::study_dir::{StudyDir, failed};
use crate::study::measure::stage_times;
use crate::study::server::quiesce::settle;
use crate::study::server::shared_server::{Host, Ready};

/// What all turns of a study share.
pub(crate) struct Turns<'a> {
    pub(crate) dir: &'a StudyDir,
    pub(crate) interrupts: &'a Signals,
}

impl Turns<'_> {
    /// Measures a turn, and leaves its run directory. What came to no good end is an error, and its directory stays.
    pub(crate) async fn measure(
        &self,
        host: &mut Host<'_>,
        cell: &Cell,
        turn: &Turn,
        line: &Line,
        account: &mut Account,
    ) -> anyhow::Result<()> {
        let ready = host.ready(cell, line, account);
        let Ready {
            served,
            tables,
            mut config,
            detaching,
        } = self.interrupts.unless_ended(ready).await??;
        config.dataset.seed = turn.seed;
        line.say("settling");
        let begun = Instant::now();
        let settled = settle(&mut served.server);
        self.interrupts.unless_ended(settled).await??;
        account.settling += begun.elapsed();
        let begun = Instant::now();
        let dir = RunDir::replace(&self.dir.turn(cell, turn))?;
        let started = Zoned::now().strftime("%Y-%m-%dT%H:%M:%S%:z").to_string();
        let outputs = Outputs {
            dir: &dir,
            started: &started,
        };
        let stages = match cell.stages {
            true => Some(stage_times::begin(&served.server).await?),
            false => None,
        };
        // The probes of the turn before: attached once more, they would disturb this one.
        let earlier = detaching.take();
        tokio::task::spawn_blocking(move || drop(earlier)).await?;
        let mut raw = window(&config, &outputs, self.interrupts, served, tables, line).await?;
        if let Some(before) = stages {
            stage_times::keep(&served.server, &before, &dir).await?;
        }
        *detaching = raw.snapshot.take_detaching();
        let length = raw.measured.as_ref().map(|measured| measured.window.length());
        let measured = results(&config, &started, raw);
        measured.document.check()?;
        outputs.finished(&measured.snapshot, &measured.document)?;
        let length = length.unwrap_or_default();
        account.measuring += length;
        account.warming_up += config.warmup;
        account.around += begun.elapsed().saturating_sub(length + config.warmup);
        match failed(&measured.document) {
            Some(why) => bail!("{why}"),
            None => Ok(()),
        }
    }
}
