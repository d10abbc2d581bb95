//! The two stages of a drive on one shard: the warm-up, and the window that is measured.

use logtrace_common::TimeRange;

use crate::config::DriveConfig;
use crate::engine::event_loop::Session;
use crate::engine::request_source::Source;
use crate::engine::shard_result::Part;
use crate::engine::share::Share;
use crate::engine::ticker::{Teller, Ticks};
use crate::error::DriveError;
use crate::results::recorder::Recorder;
use crate::results::result::Ended;
use crate::util::clock::{duration_ns, now_ns, thread_cpu_ns};
use crate::util::random::Stream;

/// The same pace as in the window. What still waits for a connection at its end is dropped and what runs is waited
/// for, so that the window starts with nothing left over. Returns whether its time was over, or its connections gone.
pub(crate) async fn warm_up(
    config: &DriveConfig,
    share: Share,
    span: TimeRange,
    session: &mut Session,
    tell: Teller<'_>,
) -> Result<Ended, DriveError> {
    let source = Source::new(&config.pace, span, Stream::Warmup, config.dataset.seed, share);
    session.floor.board.borrow_mut().set_source(source);
    let mut ticks = Ticks::new(span.start_ns, tell);
    let ended = session.run(&mut ticks, span.end_ns).await?;
    if ended == Ended::Interrupted {
        return Err(DriveError::Cancelled);
    }
    session.shut_and_drop_backlog();
    let until_ns = span.end_ns + duration_ns(config.grace);
    match session.drain(&mut ticks, until_ns).await? {
        0 => Ok(ended),
        running => Err(DriveError::StuckInWarmup {
            running,
            grace: config.grace,
        }),
    }
}

/// The window, and the grace for what was due in it.
pub(crate) async fn measure(
    config: &DriveConfig,
    share: Share,
    planned: TimeRange,
    session: &mut Session,
    tell: Teller<'_>,
) -> Result<Part, DriveError> {
    let mut ticks = Ticks::new(planned.start_ns, tell);
    let mut recorder = Recorder::new();
    recorder.set_window_start(planned.start_ns);
    recorder.set_window_end(planned.end_ns);
    recorder.set_kinds(config.requests.kinds().len());
    session.floor.recorder.replace(recorder);
    let cpu_ns = thread_cpu_ns();
    let source = Source::new(&config.pace, planned, Stream::Window, config.dataset.seed, share);
    session.floor.board.borrow_mut().set_source(source);

    let ended = session.run(&mut ticks, planned.end_ns).await?;
    let mut part = end_of_window(session, planned, ended);
    if ended != Ended::Completed {
        part.unsent = session.shut_and_drop_backlog();
    }
    let until_ns = part.window.end_ns + duration_ns(config.grace);
    part.unfinished = session.drain(&mut ticks, until_ns).await?;
    part.unsent += session.shut_and_drop_backlog();
    ticks.finish(now_ns(), &session.floor);
    part.recorder = session.floor.recorder.take();
    part.board = session.floor.board.borrow().counts();
    part.cpu_ns = thread_cpu_ns().saturating_sub(cpu_ns);
    Ok(part)
}

/// What is known when the window ends; what was recorded comes with the end of the grace.
fn end_of_window(session: &Session, planned: TimeRange, ended: Ended) -> Part {
    let window = TimeRange {
        start_ns: planned.start_ns,
        end_ns: now_ns().clamp(planned.start_ns, planned.end_ns),
    };
    let mut recorder = session.floor.recorder.borrow_mut();
    recorder.set_window_end(window.end_ns);
    Part {
        window,
        ended,
        done_by_end: recorder.counts().done,
        backlog_end: session.floor.board.borrow().backlog(),
        recorder: Recorder::new(),
        board: session.floor.board.borrow().counts(),
        unsent: 0,
        unfinished: 0,
        cpu_ns: 0,
    }
}
