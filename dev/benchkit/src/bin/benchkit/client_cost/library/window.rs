//! One window of one client: an open loop on one thread, as in logtrace's driver.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use anyhow::Context;
use logtrace_common::Connection;
use logtrace_driver::client_parts::{Pacer, on_this_thread, thread_cpu_ns};
use logtrace_driver::{Histogram, now_ns};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::{JoinSet, yield_now};

use super::client::Client;
use super::plan::Planned;

/// Time at the beginning that is not measured.
pub(crate) const WARMUP: Duration = Duration::from_millis(300);

/// Time from the last connection to the start, in nanoseconds.
const LEAD_NS: u64 = 10_000_000;

/// Measurements of one window.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MeasuredClient {
    /// CPU time of the client's thread a request, in microseconds.
    pub(crate) cpu_us: f64,
    /// Median time from sending to the answer, in microseconds.
    pub(crate) service_us: f64,
    /// Median time from due to sending, in microseconds.
    pub(crate) lag_us: f64,
}

/// Times of the requests behind the warm-up.
struct RequestTimes {
    from_ns: u64,
    service: Histogram<u64>,
    lag: Histogram<u64>,
}

/// Request that is due.
struct Due {
    planned: Planned,
    due_ns: u64,
}

/// Sends the requests over `connections` of a client, each over the next one. Call it on a thread of its own: the CPU time
/// is that of the thread.
pub(crate) fn measure<C: Client>(
    server: &Connection,
    connections: usize,
    requests: &[Planned],
) -> anyhow::Result<MeasuredClient> {
    on_this_thread(async {
        let mut clients = Vec::with_capacity(connections);
        for _ in 0..connections {
            clients.push(C::connect(server).await?);
        }
        paced(clients, requests).await
    })?
}

async fn paced<C: Client>(clients: Vec<C>, requests: &[Planned]) -> anyhow::Result<MeasuredClient> {
    let mut pacer = Pacer::new(false)?;
    let start_ns = now_ns() + LEAD_NS;
    let from_ns = start_ns + u64::try_from(WARMUP.as_nanos())?;
    let times = Rc::new(RefCell::new(RequestTimes {
        from_ns,
        service: Histogram::new(3)?,
        lag: Histogram::new(3)?,
    }));
    let mut serving = JoinSet::new();
    let queues: Vec<UnboundedSender<Due>> = clients
        .into_iter()
        .map(|client| {
            let (sender, receiver) = unbounded_channel();
            serving.spawn_local(serve(client, receiver, Rc::clone(&times)));
            sender
        })
        .collect();
    let mut cpu_from_ns = None;
    for (&planned, queue) in requests.iter().zip(queues.iter().cycle()) {
        let due_ns = start_ns + planned.offset_ns;
        if due_ns >= from_ns {
            cpu_from_ns.get_or_insert_with(thread_cpu_ns);
        }
        pacer.until(due_ns).await?;
        if queue.send(Due { planned, due_ns }).is_err() {
            // Its connection tells why.
            break;
        }
        // It is sent before the timer is set again.
        yield_now().await;
    }
    drop(queues);
    let mut clients = Vec::new();
    while let Some(served) = serving.join_next().await {
        clients.push(served??);
    }
    let cpu_ns = thread_cpu_ns() - cpu_from_ns.context("no request is due behind the warm-up")?;
    for client in clients {
        client.disconnect().await?;
    }
    let times = times.borrow();
    let median_us = |times: &Histogram<u64>| times.value_at_quantile(0.5) as f64 / 1e3;
    Ok(MeasuredClient {
        cpu_us: cpu_ns as f64 / 1e3 / times.service.len() as f64,
        service_us: median_us(&times.service),
        lag_us: median_us(&times.lag),
    })
}

/// Sends what comes, one request after the other, and returns the client.
async fn serve<C: Client>(
    mut client: C,
    mut queue: UnboundedReceiver<Due>,
    times: Rc<RefCell<RequestTimes>>,
) -> anyhow::Result<C> {
    while let Some(Due { planned, due_ns }) = queue.recv().await {
        let sent_ns = now_ns();
        client.update(planned.table, planned.key).await?;
        let done_ns = now_ns();
        let mut times = times.borrow_mut();
        if due_ns >= times.from_ns {
            times.service.record(done_ns.saturating_sub(sent_ns))?;
            times.lag.record(sent_ns.saturating_sub(due_ns))?;
        }
    }
    Ok(client)
}
