//! Recordings that were damaged: they are explained, and sums stay exact.

mod clocks;
mod recordings;
