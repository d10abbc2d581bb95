//! Where the records go.

/// Takes the records, on a thread of its own, which runs when the server leaves a CPU idle: what was recorded may be
/// handed on long after.
pub trait Sink: Send + 'static {
    /// The bytes of the next record, in the order of their times.
    fn record(&mut self, bytes: &[u8]);

    /// Records that were made from `from_ns` on and before `until_ns` (nanoseconds of `CLOCK_MONOTONIC`) were lost. Told
    /// before the records of that time that were not.
    fn lost(&mut self, from_ns: u64, until_ns: u64) {
        // Who does not care has the number in the account.
        let _ = (from_ns, until_ns);
    }
}

impl<F: FnMut(&[u8]) + Send + 'static> Sink for F {
    fn record(&mut self, bytes: &[u8]) {
        self(bytes);
    }
}
