//! Phases of a drive on one shard: warm-up and measured window.

use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use logtrace_common::TimeRange;
use logtrace_common::random::Stream;

use crate::config::DriveConfig;
use crate::engine::event_loop::EventLoop;
use crate::engine::request_source::RequestSource;
use crate::engine::shard_result::ShardResult;
use crate::engine::shard_state::ShardState;
use crate::engine::share::Share;
use crate::engine::ticker::{OnInterval, Ticker};
use crate::error::DriveError;
use crate::results::EndReason;
use crate::results::progress::Stage;
use crate::results::rate_step::RateStep;
use crate::results::recorder::Recorder;
use crate::util::clock::{duration_ns, now_ns, thread_cpu_ns};

/// Longest wait for the requests that still run at the end of the warm-up. If a stall takes longer, the window begins with
/// them: a stall that is not over is measured.
const WARMUP_GRACE: Duration = Duration::from_secs(1);

/// Longest wait for the requests that still run after a signal.
const CANCELLED_GRACE: Duration = Duration::from_secs(5);

/// Runs a phase, and waits for the requests that were due in it, up to the grace period.
///
/// A warm-up drops the requests that wait for a connection at its end. Requests that run longer than its grace period
/// become requests of the window.
pub(crate) async fn run_phase(
    share: Share,
    (stage, planned): (Stage, TimeRange),
    event_loop: &mut EventLoop,
    on_interval: OnInterval<'_>,
) -> Result<ShardResult, DriveError> {
    let config = Arc::clone(&event_loop.state.drive.config);
    let is_warmup = stage == Stage::Warmup;
    let mut ticker = Ticker::new(planned.start_ns, on_interval);
    let cpu_ns = thread_cpu_ns();
    begin_phase(share, (stage, planned), &config, &event_loop.state);

    let ended = event_loop.run(&mut ticker, planned.end_ns).await?;
    if is_warmup && ended == EndReason::Interrupted {
        return Err(DriveError::Cancelled);
    }
    let state = Rc::clone(&event_loop.state);
    let window = TimeRange {
        start_ns: planned.start_ns,
        end_ns: now_ns().clamp(planned.start_ns, planned.end_ns),
    };
    state.recorder.borrow_mut().window_end_ns = window.end_ns;
    let done_by_end = state.recorder.borrow().done;
    let backlog_end = state.dispatcher.borrow().backlog();
    let mut unsent = 0;
    if is_warmup || ended != EndReason::Completed {
        unsent = drop_backlog(&state);
    }
    let grace = match (stage, ended) {
        (Stage::Warmup, _) => WARMUP_GRACE,
        (Stage::Window, EndReason::Interrupted) => config.grace.min(CANCELLED_GRACE),
        (Stage::Window, _) => config.grace,
    };
    event_loop
        .drain(&mut ticker, window.end_ns.saturating_add(duration_ns(grace)))
        .await?;
    record_open(&state);
    unsent += state.dispatcher.borrow_mut().shut();
    ticker.finish(now_ns(), &state);
    Ok(ShardResult {
        window,
        ended,
        recorder: state.recorder.take(),
        dispatched: state.dispatcher.borrow().counts(),
        done_by_end,
        backlog_end,
        unsent,
        cpu_ns: thread_cpu_ns().saturating_sub(cpu_ns),
    })
}

/// Sets the recorder and the source of the requests of a phase.
fn begin_phase(share: Share, (stage, planned): (Stage, TimeRange), config: &DriveConfig, state: &ShardState) {
    let mut recorder = Recorder::of_window(planned, config.requests.kinds().len());
    let steps = config.pace.steps_in(planned).into_iter();
    recorder.steps = steps
        .map(|(range, from_per_s, to_per_s)| RateStep::new(range, from_per_s, to_per_s))
        .collect();
    state.recorder.replace(recorder);
    let values = match stage {
        Stage::Warmup => Stream::Warmup,
        Stage::Window => Stream::Window,
    };
    let source = RequestSource::new(&config.pace, planned, values, config.dataset.seed, share);
    state.dispatcher.borrow_mut().set_source(source);
}

/// Drops the requests that wait for a connection, and returns how many there were.
fn drop_backlog(state: &ShardState) -> u64 {
    let mut dispatcher = state.dispatcher.borrow_mut();
    let now = now_ns();
    let mut recorder = state.recorder.borrow_mut();
    for (due_ns, since_ns) in dispatcher.waiting_requests() {
        recorder.record_open(due_ns, now);
        recorder.record_backlog(TimeRange::new(since_ns, now));
    }
    dispatcher.shut()
}

/// Records the requests that nobody waits for any longer.
fn record_open(state: &ShardState) {
    let now = now_ns();
    let mut recorder = state.recorder.borrow_mut();
    let dispatcher = state.dispatcher.borrow();
    for due_ns in dispatcher.open_requests() {
        recorder.record_open(due_ns, now);
    }
    for (_, since_ns) in dispatcher.waiting_requests() {
        recorder.record_backlog(TimeRange::new(since_ns, now));
    }
}
