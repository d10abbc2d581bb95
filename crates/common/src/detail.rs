//! Level of detail of tracing.

use strum::{Display, EnumIter, EnumString, IntoStaticStr, VariantNames};

use crate::names::UnknownName;

/// Level of detail of tracing. Each level sees everything that the one before sees, and more, and costs more.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Display,
    EnumIter,
    EnumString,
    IntoStaticStr,
    VariantNames,
)]
#[strum(serialize_all = "snake_case", parse_err_ty = UnknownName, parse_err_fn = unknown_detail)]
pub enum Detail {
    /// Commits and the threads that they wait for, without files and kernel stacks.
    Commit,
    /// The level before and each I/O system call, with its file and its waits in the kernel.
    #[default]
    Io,
    /// The levels before and device flushes (which separate a queued flush from the device's own time), statements
    /// outside of commits, the commit groups that the server itself reports, and functions on the CPU.
    Full,
}

fn unknown_detail(text: &str) -> UnknownName {
    UnknownName::new("level of detail", text, Detail::VARIANTS)
}

#[cfg(test)]
mod tests {
    use strum::IntoEnumIterator;

    use super::*;

    #[test]
    fn levels_are_ordered_and_have_names() {
        assert!(Detail::iter().is_sorted());
        for level in Detail::iter() {
            assert_eq!(level.to_string().parse(), Ok(level));
        }
        assert!("everything".parse::<Detail>().is_err());
    }
}
