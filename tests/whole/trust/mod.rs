//! Root among others: what other users put into directories never leads it to their ends.

mod kinds;
mod planted;
mod rights;
mod wall_clock;
