//! Root among others: what other users put into directories never leads it to their ends.

mod kinds;
mod other_program;
mod planted;
mod rights;
mod sessions;
mod posing;
mod wall_clock;
