//! Phases of a drive on one shard: warm-up and measured window.

use std::rc::Rc;
use std::sync::Arc;

use anyhow::anyhow;
use logtrace_common::TimeRange;

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
    share: Share,
    (stage, planned): (Stage, TimeRange),
    event_loop: &mut EventLoop,
    on_interval: OnInterval<'_>,
) -> Result<ShardResult, DriveError> {
    let config = Arc::clone(&event_loop.state.drive.config);
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
        unsent = state.dispatcher.borrow_mut().shut();
    }
    let until_ns = window.end_ns + duration_ns(config.grace);
    let unfinished = event_loop.drain(&mut ticker, until_ns).await?;
    if is_warmup && unfinished > 0 {
        let stuck = anyhow!(
            "{unfinished} requests of the warm-up were not answered within {:?}: is the server stopped or overloaded?",
            config.grace
        );
        return Err(stuck.into());
    }
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
