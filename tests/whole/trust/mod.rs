//! Root among others: what other users put into directories never leads it to their ends.

mod planted;
mod wall_clock;
