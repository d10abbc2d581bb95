//! The throughput of a server that is traced, to that of the same server untraced.

fn main() {}
