//! Phases of a drive on one shard: warm-up and measured window.

use logtrace_common::TimeRange;

use crate::config::DriveConfig;
use crate::engine::event_loop::EventLoop;
use crate::engine::request_source::RequestSource;
use crate::engine::shard_result::ShardResult;
use crate::engine::share::Share;
use crate::engine::ticker::{OnInterval, Ticker};
use crate::error::DriveError;
use crate::results::recorder::Recorder;
use crate::results::result::EndReason;
use crate::util::clock::{duration_ns, now_ns, thread_cpu_ns};
use crate::util::random::Stream;

/// Runs the warm-up at the pace of the window. At its end, drops requests that wait for a connection, and waits for
/// those that run, so that the window starts with no request left over. Returns why the warm-up ended.
pub(crate) async fn warm_up(
    config: &DriveConfig,
    share: Share,
    range: TimeRange,
    event_loop: &mut EventLoop,
    on_interval: OnInterval<'_>,
) -> Result<EndReason, DriveError> {
    let source = RequestSource::new(&config.pace, range, Stream::Warmup, config.dataset.seed, share);
    event_loop.state.dispatcher.borrow_mut().set_source(source);
    let mut ticker = Ticker::new(range.start_ns, on_interval);
    let ended = event_loop.run(&mut ticker, range.end_ns).await?;
    if ended == EndReason::Interrupted {
        return Err(DriveError::Cancelled);
    }
    event_loop.shut_and_drop_backlog();
    let until_ns = range.end_ns + duration_ns(config.grace);
    match event_loop.drain(&mut ticker, until_ns).await? {
        0 => Ok(ended),
        running => Err(DriveError::StuckInWarmup {
            running,
            grace: config.grace,
        }),
    }
}

/// Runs the window, and the grace period for requests that were due in it.
pub(crate) async fn measure(
    config: &DriveConfig,
    share: Share,
    planned: TimeRange,
    event_loop: &mut EventLoop,
    on_interval: OnInterval<'_>,
) -> Result<ShardResult, DriveError> {
    let mut ticker = Ticker::new(planned.start_ns, on_interval);
    let mut recorder = Recorder::new();
    recorder.set_window_start(planned.start_ns);
    recorder.set_window_end(planned.end_ns);
    recorder.set_kinds(config.requests.kinds().len());
    event_loop.state.recorder.replace(recorder);
    let cpu_ns = thread_cpu_ns();
    let source = RequestSource::new(&config.pace, planned, Stream::Window, config.dataset.seed, share);
    event_loop.state.dispatcher.borrow_mut().set_source(source);

    let ended = event_loop.run(&mut ticker, planned.end_ns).await?;
    let mut result = end_of_window(event_loop, planned, ended);
    if ended != EndReason::Completed {
        result.unsent = event_loop.shut_and_drop_backlog();
    }
    let until_ns = result.window.end_ns + duration_ns(config.grace);
    result.unfinished = event_loop.drain(&mut ticker, until_ns).await?;
    result.unsent += event_loop.shut_and_drop_backlog();
    ticker.finish(now_ns(), &event_loop.state);
    result.recorder = event_loop.state.recorder.take();
    result.dispatched = event_loop.state.dispatcher.borrow().counts();
    result.cpu_ns = thread_cpu_ns().saturating_sub(cpu_ns);
    Ok(result)
}

/// Returns the results known at the end of the window; the recorder follows at the end of the grace period.
fn end_of_window(event_loop: &EventLoop, planned: TimeRange, ended: EndReason) -> ShardResult {
    let window = TimeRange {
        start_ns: planned.start_ns,
        end_ns: now_ns().clamp(planned.start_ns, planned.end_ns),
    };
    let mut recorder = event_loop.state.recorder.borrow_mut();
    recorder.set_window_end(window.end_ns);
    ShardResult {
        window,
        ended,
        done_by_end: recorder.counts().done,
        backlog_end: event_loop.state.dispatcher.borrow().backlog(),
        recorder: Recorder::new(),
        dispatched: event_loop.state.dispatcher.borrow().counts(),
        unsent: 0,
        unfinished: 0,
        cpu_ns: 0,
    }
}
