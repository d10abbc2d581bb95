//! Panics of the client library at what a server sends.

use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::pin::pin;

thread_local! {
    /// Whether this thread does work whose panics are caught.
    static IS_CAUGHT: Cell<bool> = const { Cell::new(false) };
}

/// Does `work`. Returns `None` if it panics: it is dropped then, and nothing of it is used again.
///
/// `mysql_async` panics at a public key that is none, at an empty nonce and at lengths that are too large. They come from
/// whoever listens on the address.
pub(crate) async fn caught<T>(work: impl Future<Output = T>) -> Option<T> {
    let mut work = pin!(work);
    poll_fn(|context| {
        let outer = IS_CAUGHT.replace(true);
        let polled = catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(context)));
        IS_CAUGHT.set(outer);
        match polled {
            Ok(polled) => polled.map(Some),
            Err(_) => std::task::Poll::Ready(None),
        }
    })
    .await
}

/// Keeps the messages of panics from stderr that are returned as errors. Others are printed as before.
pub fn keep_caught_panics_quiet() {
    let usual = take_hook();
    set_hook(Box::new(move |panic| {
        if !IS_CAUGHT.get() {
            usual(panic);
        }
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_ends_the_work_and_not_the_caller() {
        keep_caught_panics_quiet();
        assert_eq!(caught(async { 7 }).await, Some(7));
        let nonce: Vec<u8> = Vec::new();
        let late = async {
            tokio::task::yield_now().await;
            nonce[20 % nonce.len()]
        };
        assert_eq!(caught(late).await, None);
        assert!(!IS_CAUGHT.get());
    }
}
