//! The two stages of a drive: the warm-up, and the window that is measured.

use std::io::Write;
use std::time::{Duration, SystemTime};

use crate::clock::{duration_ns, now_ns, thread_cpu_ns};
use crate::config::{DriveConfig, Span};
use crate::drive::DriveError;
use crate::floor::Floor;
use crate::measured::{Ended, Measured, achieved_closed, achieved_open};
use crate::random::Stream;
use crate::recorder::Recorder;
use crate::session::Session;
use crate::ticks::Ticks;
use crate::watch::Stage;

/// Time between announcing the window and its start.
const LEAD_NS: u64 = 10_000_000;

/// The same pace as in the window. What still waits for a connection at its end is dropped and what runs is waited
/// for, so that the window starts with nothing left over.
pub(crate) async fn warm_up(config: &DriveConfig, session: &mut Session<'_>) -> Result<(), DriveError> {
    let span = span_of(config.warmup);
    let source = config.pace.source(span, Stream::Warmup, config.dataset.seed);
    session.floor.board.borrow_mut().set_source(source);
    let mut ticks = Ticks::unlogged(Stage::Warmup, span.start_ns);
    match session.run(&mut ticks, span.end_ns).await? {
        Ended::Interrupted => return Err(DriveError::Cancelled),
        Ended::ServerGone => return Err(DriveError::GoneInWarmup),
        Ended::Completed => {}
    }
    session.shut_and_drop_backlog();
    let until_ns = span.end_ns + duration_ns(config.grace);
    match session.drain(&mut ticks, until_ns).await? {
        0 => Ok(()),
        running => Err(DriveError::StuckInWarmup {
            running,
            grace: config.grace,
        }),
    }
}

/// The window, and the grace for what was due in it.
pub(crate) async fn measure(
    config: &DriveConfig,
    session: &mut Session<'_>,
    log: &mut dyn Write,
) -> Result<Measured, DriveError> {
    let planned = span_of(config.duration);
    let base = SystemTime::now() + Duration::from_nanos(LEAD_NS);
    session.watch.window(planned);
    let mut ticks = Ticks::logged(Stage::Window, planned.start_ns, base, log).map_err(DriveError::Log)?;
    let mut recorder = Recorder::new();
    recorder.set_window_start(planned.start_ns);
    recorder.set_window_end(planned.end_ns);
    recorder.set_kinds(config.requests.kinds().len());
    session.floor.recorder.replace(recorder);
    session.floor.outages.borrow_mut().begin();
    let cpu_ns = thread_cpu_ns();
    let source = config.pace.source(planned, Stream::Window, config.dataset.seed);
    session.floor.board.borrow_mut().set_source(source);

    let ended = session.run(&mut ticks, planned.end_ns).await?;
    let mut end = end_of_window(&session.floor, planned, ended);
    if ended != Ended::Completed {
        end.unsent = session.shut_and_drop_backlog();
    }
    let until_ns = end.window.end_ns + duration_ns(config.grace);
    end.unfinished = session.drain(&mut ticks, until_ns).await?;
    end.unsent += session.shut_and_drop_backlog();
    ticks.finish(now_ns(), &session.floor).map_err(DriveError::Log)?;
    end.client_cpu_ns = thread_cpu_ns().saturating_sub(cpu_ns);
    Ok(summary(config, &session.floor, &end))
}

/// What the recorder and the board do not know.
struct End {
    window: Span,
    ended: Ended,
    done_by_end: u64,
    backlog_end: u64,
    unsent: u64,
    unfinished: u64,
    client_cpu_ns: u64,
}

fn end_of_window(floor: &Floor, planned: Span, ended: Ended) -> End {
    let window = Span {
        start_ns: planned.start_ns,
        end_ns: now_ns().clamp(planned.start_ns, planned.end_ns),
    };
    let mut recorder = floor.recorder.borrow_mut();
    recorder.set_window_end(window.end_ns);
    End {
        window,
        ended,
        done_by_end: recorder.counts().done,
        backlog_end: floor.board.borrow().backlog(),
        unsent: 0,
        unfinished: 0,
        client_cpu_ns: 0,
    }
}

fn summary(config: &DriveConfig, floor: &Floor, end: &End) -> Measured {
    let board = floor.board.borrow().counts();
    let mut recorder = floor.recorder.take();
    let (kinds, per_tenth) = (recorder.take_kinds(), recorder.take_per_tenth());
    let (latencies, counts, per_second) = recorder.into_parts();
    let offered_per_s = config.pace.offered_per_s(end.window.length());
    let achieved_per_s = match offered_per_s {
        Some(offered) => achieved_open(offered, board.released, counts.done_in_time),
        None => achieved_closed(end.window, end.done_by_end),
    };
    Measured {
        window: end.window,
        offered_per_s,
        achieved_per_s,
        requests: board.released,
        done: counts.done,
        errors: counts.errors,
        retries: counts.retries,
        late: counts.late,
        queued: board.queued,
        unsent: end.unsent,
        unfinished: end.unfinished,
        backlog_max: board.backlog_max,
        backlog_end: end.backlog_end,
        lag: latencies.lag,
        service: latencies.service,
        response: latencies.response,
        retrying: latencies.retrying,
        per_second,
        per_tenth,
        kinds,
        orders_grown: None,
        outages: floor.outages.borrow().all(),
        ended: end.ended,
        client_cpu_ns: end.client_cpu_ns,
    }
}

fn span_of(length: Duration) -> Span {
    let start_ns = now_ns() + LEAD_NS;
    Span {
        start_ns,
        end_ns: start_ns.saturating_add(duration_ns(length)),
    }
}
