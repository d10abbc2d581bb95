//! Texts of errors of the client library.

use mysql_async::Error;

/// Returns the text of an error. The library's own says "Input/output error" twice: of the operation, and of its cause.
pub fn told(error: &Error) -> String {
    match error {
        Error::Io(cause) => cause.to_string(),
        error => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use mysql_async::IoError;

    use super::*;

    #[test]
    fn nothing_is_said_twice() {
        let closed = io::Error::from(io::ErrorKind::BrokenPipe);
        let error = Error::Io(IoError::Io(closed));
        assert_eq!(error.to_string().matches("Input/output error").count(), 2);
        assert_eq!(told(&error), "Input/output error: broken pipe");
    }
}
