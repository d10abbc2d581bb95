//! Block of short turns: each cell of a fleet is under load once, for a second or two.

use std::time::Instant;

use logtrace_measure::measurement::Interrupted;
use logtrace_measure::run::short_turn;
use logtrace_measure::say;

use crate::cell::{Cell, ShortTurns};
use crate::order::TurnBlock;
use crate::results::figure::Figure;
use crate::results::turn_result::turn_figures;
use crate::runner::directory::progress_file::TimeAccount;
use crate::runner::directory::turn_log::{BlockRecord, TurnRecord};
use crate::runner::measure::cpu_use::CpuUse;
use crate::runner::server::{Ready, SharedServers};

/// Measures the turns of a block, one after the other. A turn that fails is in the record with its error. `before` is the cell
/// that was under load just before.
pub(crate) async fn measure_block(
    servers: &mut SharedServers<'_>,
    cells: &[Cell],
    block: &TurnBlock,
    before: Option<&str>,
    account: &mut TimeAccount,
) -> anyhow::Result<BlockRecord> {
    let study = servers.study;
    let earlier = servers.take_detaching();
    tokio::task::spawn_blocking(move || drop(earlier)).await?;
    let (begun, mut before) = (Instant::now(), before.map(str::to_owned));
    let mut turns = Vec::new();
    for &at in &block.cells {
        let cell = &cells[at];
        let Some(lengths) = cell.turns else { continue };
        study.line.say(format!("a short turn of {}", cell.key));
        let at_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        let measured = measure_turn(servers, cell, lengths, block.seed, account).await;
        if measured.as_ref().is_err_and(anyhow::Error::is::<Interrupted>) {
            measured?;
            break;
        }
        let error = measured.as_ref().err().map(|error| format!("{error:#}"));
        if let Some(error) = &error {
            servers.kill();
            report(servers, &cell.key, error);
        }
        turns.push(TurnRecord {
            cell: cell.key.clone(),
            before: before.replace(cell.key.clone()),
            at_ms,
            figures: measured.unwrap_or_default(),
            error,
        });
    }
    Ok(BlockRecord {
        repeat: block.repeat + 1,
        fleet: block.fleet + 1,
        block: block.number + 1,
        turns,
    })
}

/// Figures of a turn by their names in plans.
type Figures = std::collections::BTreeMap<String, f64>;

async fn measure_turn(
    servers: &mut SharedServers<'_>,
    cell: &Cell,
    ShortTurns { length, wash_in, .. }: ShortTurns,
    seed: u64,
    account: &mut TimeAccount,
) -> anyhow::Result<Figures> {
    let study = servers.study;
    let ready = servers.ready(cell, account);
    let Ready {
        served, mut config, ..
    } = study.signals.unless_ended(ready).await??;
    config.dataset.seed = seed;
    let (begun, cpu_use) = (Instant::now(), CpuUse::begin(study.cpus));
    let load = short_turn(&config, served, (wash_in, length), study.signals).await?;
    let busy = cpu_use.busy_share();
    let figures = turn_figures(&load.requests, load.turn, load.new_orders);
    let mut figures = figures.map_err(anyhow::Error::msg)?;
    figures.insert(Figure::CpuBusy, busy);
    account.measuring += length;
    account.warming_up += wash_in;
    account.around += begun.elapsed().saturating_sub(length + wash_in);
    Ok(figures
        .into_iter()
        .map(|(figure, value)| (figure.to_string(), value))
        .collect())
}

/// Reports the error of a turn on stderr.
fn report(servers: &SharedServers<'_>, cell: &str, error: &str) {
    let text = format!("{cell} (short turn): {error}");
    servers.study.line.beside(|| say::lines(&text));
}
