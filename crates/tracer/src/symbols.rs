//! Functions of a program, and their names as in the source.

use std::fmt;

use cpp_demangle::{DemangleOptions, Symbol};

/// Function of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ProgramFunction<'a> {
    /// Mangled name.
    pub(crate) name: &'a str,
    /// Virtual address.
    pub(crate) address: u64,
    /// Length in bytes.
    pub(crate) size: u64,
}

/// Largest name in the source, in bytes. A mangled name can refer to its own parts, so that a short one stands for
/// gigabytes.
const LONGEST_NAME: usize = 1 << 14;

/// Returns the name in the source of a mangled C++ name, or `None` if it is too long.
pub(crate) fn demangled(name: &str, options: &DemangleOptions) -> Option<String> {
    let mut text = Bounded(String::new());
    let symbol = Symbol::new(name).ok()?;
    symbol.structured_demangle(&mut text, options).ok()?;
    Some(text.0)
}

/// Text that refuses to grow beyond [`LONGEST_NAME`].
struct Bounded(String);

impl fmt::Write for Bounded {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        if self.0.len().saturating_add(part.len()) > LONGEST_NAME {
            return Err(fmt::Error);
        }
        self.0.push_str(part);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the mangled name of a function whose parameters double: each is a pair of the one before (the substitutions
    /// S_, S0_, ... of the Itanium C++ ABI).
    fn doubling(parameters: u32) -> String {
        let pairs = (0..parameters).map(|number| {
            let before = base36(1 + 2 * number);
            format!("1cIS{before}_S{before}_E")
        });
        format!("_Z1fI1aEv1b{}", pairs.collect::<String>())
    }

    #[test]
    fn a_name_that_doubles_itself_ends() {
        let options = DemangleOptions::default();
        assert!(demangled(&doubling(4), &options).is_some_and(|name| name.contains("c<b, b>")));
        let long = doubling(16);
        assert!(Symbol::new(&long).is_ok(), "{long}");
        assert_eq!(demangled(&long, &options), None);
    }

    fn base36(number: u32) -> String {
        let digit = |number: u32| char::from_digit(number, 36).unwrap_or('0').to_ascii_uppercase();
        match number / 36 {
            0 => digit(number).to_string(),
            high => format!("{}{}", digit(high), digit(number % 36)),
        }
    }
}
