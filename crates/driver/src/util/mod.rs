//! Helpers that know nothing of requests.

pub(crate) mod async_fd;
pub(crate) mod clock;
pub(crate) mod decimal;
pub(crate) mod histogram;
pub(crate) mod line_file;
pub(crate) mod marker;
pub(crate) mod runtime;
#[cfg(test)]
pub(crate) mod test_fit;
