//! Protocol of statements.

use logtrace_common::UnknownName;
use strum::{Display, EnumIter, EnumString, IntoStaticStr, VariantNames};

/// Protocol that statements are sent with (sysbench's `--db-ps-mode`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Display, EnumIter, EnumString, IntoStaticStr, VariantNames)]
#[strum(serialize_all = "lowercase", parse_err_ty = UnknownName, parse_err_fn = unknown)]
pub enum Protocol {
    /// Prepared once per connection, then executed with binary parameters (`auto`).
    Prepared,
    /// Sent as text that includes the values (`disable`).
    Text,
    /// Stored procedures, whose calls are sent as text. For the transactions of DBT2.
    Procedures,
}

impl Protocol {
    /// Returns the name in commands and reports.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

fn unknown(name: &str) -> UnknownName {
    UnknownName::new("protocol", name, <Protocol as VariantNames>::VARIANTS)
}

#[cfg(test)]
mod tests {
    use strum::IntoEnumIterator;

    use super::*;

    #[test]
    fn names_are_read_back() {
        for protocol in Protocol::iter() {
            assert_eq!(protocol.to_string().parse(), Ok(protocol));
        }
        let error = "binary".parse::<Protocol>().unwrap_err();
        assert_eq!(
            error.to_string(),
            "unknown protocol \"binary\": choose prepared, text or procedures"
        );
    }
}
