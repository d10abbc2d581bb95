//! A drive, as the program does it.

use std::io;
use std::sync::Arc;
use std::thread;

use anyhow::Context;
use logtrace_driver::{CancellationToken, DriveConfig, DriveOutputs, DriveResult, drive};
use logtrace_events::Request;

/// Drives on a thread of its own, which keeps what it sets, and fails if a request did. `observe`, if any, gets each
/// finished request of the window.
pub fn driven(
    config: DriveConfig,
    observe: Option<impl Fn(&Request) + Send + Sync + 'static>,
) -> anyhow::Result<DriveResult> {
    let driving = thread::spawn(move || {
        let outputs = DriveOutputs {
            log: &mut io::sink(),
            watch: &mut (),
            observer: observe.map(|observe| Arc::new(observe) as _),
            cancel: CancellationToken::new(),
        };
        drive(&config, outputs)
    });
    let driven = driving
        .join()
        .map_err(|_| anyhow::anyhow!("the driver panicked"))?;
    let measured = driven.context("the driver ended early")?;
    anyhow::ensure!(
        measured.errors.is_empty(),
        "requests failed: {:?}",
        measured.errors
    );
    Ok(measured)
}
