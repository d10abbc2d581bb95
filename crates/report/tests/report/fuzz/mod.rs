//! Files of run directories that were damaged: they are explained or refused, and sums stay exact.

mod clocks;
mod documents;
mod recordings;
