//! Phases of a drive on one shard: warm-up and measured window.

use logtrace_common::TimeRange;

use crate::config::DriveConfig;
use crate::engine::event_loop::EventLoop;
use crate::engine::request_source::RequestSource;
use crate::engine::shard_result::ShardResult;
use crate::engine::share::Share;
use crate::engine::ticker::{OnInterval, Ticker};
use crate::error::DriveError;
use crate::results::progress::Stage;
use crate::results::recorder::Recorder;
use crate::results::result::EndReason;
use crate::util::clock::{duration_ns, now_ns, thread_cpu_ns};
use crate::util::random::Stream;

/// Runs a phase, and waits for the requests that were due in it, up to the grace period.
///
/// A warm-up drops the requests that wait for a connection at its end, and fails if running requests do not end, so that
/// the window starts with no request left over.
pub(crate) async fn run_phase(
    config: &DriveConfig,
    share: Share,
    (stage, planned): (Stage, TimeRange),
    event_loop: &mut EventLoop,
    on_interval: OnInterval<'_>,
) -> Result<ShardResult, DriveError> {
    let (values, is_warmup) = match stage {
        Stage::Warmup => (Stream::Warmup, true),
        Stage::Window => (Stream::Window, false),
    };
    let mut ticker = Ticker::new(planned.start_ns, on_interval);
    let recorder = Recorder::of_window(planned, config.requests.kinds().len());
    event_loop.state.recorder.replace(recorder);
    let cpu_ns = thread_cpu_ns();
    let source = RequestSource::new(&config.pace, planned, values, config.dataset.seed, share);
    event_loop.state.dispatcher.borrow_mut().set_source(source);

    let ended = event_loop.run(&mut ticker, planned.end_ns).await?;
    if is_warmup && ended == EndReason::Interrupted {
        return Err(DriveError::Cancelled);
    }
    let mut result = end_of_phase(event_loop, planned, ended);
    if is_warmup || ended != EndReason::Completed {
        result.unsent = event_loop.shut_and_drop_backlog();
    }
    let until_ns = result.window.end_ns + duration_ns(config.grace);
    result.unfinished = event_loop.drain(&mut ticker, until_ns).await?;
    if is_warmup && result.unfinished > 0 {
        return Err(DriveError::StuckInWarmup {
            running: result.unfinished,
            grace: config.grace,
        });
    }
    result.unsent += event_loop.shut_and_drop_backlog();
    ticker.finish(now_ns(), &event_loop.state);
    result.recorder = event_loop.state.recorder.take();
    result.dispatched = event_loop.state.dispatcher.borrow().counts();
    result.cpu_ns = thread_cpu_ns().saturating_sub(cpu_ns);
    Ok(result)
}

/// Returns the results known at the end of a phase; the recorder follows at the end of the grace period.
fn end_of_phase(event_loop: &EventLoop, planned: TimeRange, ended: EndReason) -> ShardResult {
    let window = TimeRange {
        start_ns: planned.start_ns,
        end_ns: now_ns().clamp(planned.start_ns, planned.end_ns),
    };
    let mut recorder = event_loop.state.recorder.borrow_mut();
    recorder.window_end_ns = window.end_ns;
    let dispatcher = event_loop.state.dispatcher.borrow();
    ShardResult {
        window,
        ended,
        done_by_end: recorder.counts.done,
        backlog_end: dispatcher.backlog(),
        recorder: Recorder::new(),
        dispatched: dispatcher.counts(),
        unsent: 0,
        unfinished: 0,
        cpu_ns: 0,
    }
}
