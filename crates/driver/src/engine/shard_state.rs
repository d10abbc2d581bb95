//! State that the connections of a shard share with its event loop.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::rc::Rc;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use logtrace_events::Request;
use mysql_async::Error;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::config::DriveConfig;
use crate::engine::dispatcher::Dispatcher;
use crate::engine::request_source::ScheduledRequest;
use crate::results::first_failure::FirstFailure;
use crate::results::outages::Outages;
use crate::results::recorder::Recorder;
use crate::util::clock::now_ns;
use crate::workloads::WorkloadContext;

/// Callback for each finished request of the measured window, called on the thread of the connection, in the order of
/// that connection's requests.
pub type Observer = Arc<dyn Fn(&Request) + Send + Sync>;

/// State that all shards of a drive share.
#[derive(Clone)]
pub(crate) struct DriveState {
    pub(crate) config: Arc<DriveConfig>,
    pub(crate) observer: Option<Observer>,
    pub(crate) outages: Arc<Mutex<Outages>>,
    /// Token that ends the drive early.
    pub(crate) cancel: CancellationToken,
}

impl DriveState {
    /// Locks the outages of all connections.
    pub(crate) fn outages(&self) -> MutexGuard<'_, Outages> {
        // Every method of `Outages` leaves it consistent, so a poisoned lock can be used.
        self.outages.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// State of one shard, used on its thread only. No borrow is held across an `await`.
pub(crate) struct ShardState {
    pub(crate) dispatcher: RefCell<Dispatcher>,
    pub(crate) recorder: RefCell<Recorder>,
    /// Whether finished requests go to the observer.
    pub(crate) is_observed: Cell<bool>,
    pub(crate) drive: DriveState,
    /// Number of connections that exist or may come back.
    connections: Cell<usize>,
    /// Whether the event loop waits until no request runs.
    pub(crate) draining: Cell<bool>,
    /// Wakes the event loop when no request runs while it drains, or when a connection is lost for good.
    pub(crate) changed: Notify,
}

/// Slot of one connection in a shard.
#[derive(Clone)]
pub(crate) struct ConnectionSlot {
    pub(crate) state: Rc<ShardState>,
    /// Index of the slot in its shard.
    index: usize,
    /// Properties that the workload prepares for.
    pub(crate) context: WorkloadContext,
    /// Id of the server's thread that serves the connection; `None` if unknown.
    pub(crate) thread: Option<u32>,
    /// Time when the connection was made; 0 before the first one.
    pub(crate) connected_ns: u64,
}

impl ShardState {
    pub(crate) fn new(slots: usize, drive: &DriveState) -> Rc<Self> {
        Rc::new(Self {
            dispatcher: RefCell::new(Dispatcher::new(slots)),
            recorder: RefCell::new(Recorder::new()),
            is_observed: Cell::new(false),
            drive: drive.clone(),
            connections: Cell::new(slots),
            draining: Cell::new(false),
            changed: Notify::new(),
        })
    }

    pub(crate) fn slot(self: &Rc<Self>, index: usize, number: usize) -> ConnectionSlot {
        let config = &self.drive.config;
        ConnectionSlot {
            state: Rc::clone(self),
            index,
            context: WorkloadContext {
                dataset: config.dataset,
                connection: number,
                protocol: config.requests.protocol(),
            },
            thread: None,
            connected_ns: 0,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.connections.get() == 0
    }
}

impl ConnectionSlot {
    /// Waits for the next request. Returns `None` when the drive is over.
    pub(crate) async fn next_request(&self) -> Option<ScheduledRequest> {
        poll_fn(|context| {
            let mut dispatcher = self.state.dispatcher.borrow_mut();
            dispatcher.poll_request(self.index, now_ns(), context.waker())
        })
        .await
    }

    /// Records an attempt that failed with this code and will be repeated.
    pub(crate) fn record_retry(&self, code: u16) {
        self.state.recorder.borrow_mut().record_retry(code);
    }

    /// Keeps the first failure with an error code. `statement` is the one that failed, if it is known.
    pub(crate) fn record_failure(&self, code: u16, error: &Error, statement: Option<String>) {
        let describe = || FirstFailure::new(now_ns(), error, statement);
        self.state.recorder.borrow_mut().failures.record(code, describe);
    }

    /// Records the end of a request of this type.
    pub(crate) fn finish(&self, request: &Request, kind: Option<usize>, rolled_back: bool) {
        self.state
            .recorder
            .borrow_mut()
            .record_kind(request, kind, rolled_back);
        if let Some(observer) = &self.state.drive.observer
            && self.state.is_observed.get()
        {
            observer(request);
        }
        let mut dispatcher = self.state.dispatcher.borrow_mut();
        dispatcher.finish(self.index);
        if self.state.draining.get() && dispatcher.is_drained() {
            self.state.changed.notify_one();
        }
    }

    /// Records that the connection will not come back.
    pub(crate) fn leave(&self) {
        self.state.connections.update(|connections| connections - 1);
        self.state.changed.notify_one();
    }
}
