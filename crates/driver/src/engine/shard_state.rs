//! What the connections of one drive share with the loop that paces them.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use logtrace_events::Request;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::client::session_variable::SessionVariable;
use crate::client::target::Target;
use crate::config::DriveConfig;
use crate::engine::dispatcher::Board;
use crate::engine::request_source::Turn;
use crate::results::outages::{OutageCause, Outages};
use crate::results::per_type::KindOf;
use crate::results::recorder::Recorder;
use crate::util::clock::now_ns;
use crate::workloads::workload::WorkloadContext;

/// Gets each finished request of the measured window: those of one connection in their order, and on its thread.
pub type Observer = Arc<dyn Fn(&Request) + Send + Sync>;

/// How lost connections are made again.
#[derive(Debug)]
pub(crate) struct Reconnection {
    pub(crate) target: Target,
    /// What each sets for its session.
    pub(crate) session: Vec<SessionVariable>,
    /// How long each is tried for while the server refuses it. One that accepts it and says nothing has stopped, and may
    /// go on: it is waited for.
    pub(crate) patience: Duration,
    /// Whether the thread that serves a connection is of interest.
    pub(crate) observed: bool,
}

/// What all threads of a drive share.
#[derive(Clone)]
pub(crate) struct Common {
    pub(crate) reconnection: Arc<Reconnection>,
    pub(crate) observer: Option<Observer>,
    pub(crate) outages: Arc<Mutex<Outages>>,
    /// Ends the drive early.
    pub(crate) cancel: CancellationToken,
}

impl Common {
    /// The outages of all connections.
    pub(crate) fn outages(&self) -> MutexGuard<'_, Outages> {
        // What is counted in there is whole between any two calls.
        self.outages.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Shared by everything on one thread of a drive; nothing is borrowed across an `await`.
pub(crate) struct Floor {
    pub(crate) board: RefCell<Board>,
    pub(crate) recorder: RefCell<Recorder>,
    /// Whether the observer gets finished requests.
    pub(crate) is_observed: Cell<bool>,
    common: Common,
    /// Connections that are there, or may come back.
    seated: Cell<usize>,
    /// Whether the pacing loop waits for nothing to run any more.
    pub(crate) draining: Cell<bool>,
    /// Tells the pacing loop that nothing runs any more while it drains, or that a connection is gone.
    pub(crate) quiet: Notify,
}

/// One connection's place.
#[derive(Clone)]
pub(crate) struct Seat {
    floor: Rc<Floor>,
    /// Its place on this thread.
    place: usize,
    /// What its requests are made from.
    pub(crate) context: WorkloadContext,
    /// The server's thread of the connection, if that is known.
    pub(crate) thread: Option<u32>,
    /// How long a request may take.
    pub(crate) deadline: Option<Duration>,
    /// When the connection was made; 0 before it was.
    pub(crate) connected_ns: u64,
}

impl Floor {
    pub(crate) fn new(seats: usize, common: &Common) -> Rc<Self> {
        Rc::new(Self {
            board: RefCell::new(Board::new(seats)),
            recorder: RefCell::new(Recorder::new()),
            is_observed: Cell::new(false),
            common: common.clone(),
            seated: Cell::new(seats),
            draining: Cell::new(false),
            quiet: Notify::new(),
        })
    }

    pub(crate) fn seat(self: &Rc<Self>, place: usize, number: usize, config: &DriveConfig) -> Seat {
        Seat {
            floor: Rc::clone(self),
            place,
            context: WorkloadContext {
                dataset: config.dataset,
                connection: number,
                protocol: config.requests.protocol(),
            },
            deadline: config.deadline,
            thread: None,
            connected_ns: 0,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.seated.get() == 0
    }
}

impl Seat {
    /// Waits for the next request; `None` when the drive is over.
    pub(crate) async fn turn(&self) -> Option<Turn> {
        poll_fn(|context| {
            let mut board = self.floor.board.borrow_mut();
            board.poll_turn(self.place, now_ns(), context.waker())
        })
        .await
    }

    /// An attempt failed with this code and will be made again.
    pub(crate) fn retry(&self, code: u16) {
        self.floor.recorder.borrow_mut().record_retry(code);
    }

    /// The request that was taken last has ended.
    pub(crate) fn finish(&self, request: &Request, kind: Option<KindOf>) {
        self.floor.recorder.borrow_mut().record_of(request, kind);
        if let Some(observer) = &self.floor.common.observer
            && self.floor.is_observed.get()
        {
            observer(request);
        }
        let mut board = self.floor.board.borrow_mut();
        board.finish();
        if self.floor.draining.get() && board.is_drained() {
            self.floor.quiet.notify_one();
        }
    }

    pub(crate) fn reconnection(&self) -> &Reconnection {
        &self.floor.common.reconnection
    }

    /// The connection was lost.
    pub(crate) fn lost(&self, now_ns: u64) {
        self.floor.common.outages().lost(now_ns);
    }

    /// It is there again.
    pub(crate) fn back(&self, cause: OutageCause) {
        self.floor.common.outages().back(now_ns(), cause);
    }

    /// It will not come back.
    pub(crate) fn leave(&self) {
        self.floor.seated.update(|seated| seated - 1);
        self.floor.quiet.notify_one();
    }
}
