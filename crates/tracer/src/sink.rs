//! Destination of the records.

/// Receiver of the records. It runs on a thread of its own, when the server leaves a CPU idle: a record may arrive long
/// after it was made.
pub trait Sink: Send + 'static {
    /// Takes the bytes of the next record, in the order of time.
    fn record(&mut self, bytes: &[u8]);

    /// Notes that records of the time from `from_ns` to `until_ns` (nanoseconds of `CLOCK_MONOTONIC`) were lost. The
    /// call comes before the remaining records of that time.
    fn lost(&mut self, from_ns: u64, until_ns: u64) {
        // The account has the number of lost records.
        let _ = (from_ns, until_ns);
    }
}

impl<F: FnMut(&[u8]) + Send + 'static> Sink for F {
    fn record(&mut self, bytes: &[u8]) {
        self(bytes);
    }
}
