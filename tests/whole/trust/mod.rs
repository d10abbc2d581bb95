//! Root among others: what other users put into directories never leads it to their ends.

mod kinds;
mod other_program;
mod planted;
mod posing;
mod rights;
mod sessions;
mod wall_clock;
