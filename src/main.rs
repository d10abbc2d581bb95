//! The `logtrace` command.

fn main() {}
