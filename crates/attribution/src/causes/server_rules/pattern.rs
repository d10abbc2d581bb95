//! Names of functions in the tables.

/// Returns whether a name matches a pattern, in which `*` stands for any end.
pub fn is_named(name: &str, pattern: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(beginning) => name.starts_with(beginning),
        None => name == pattern,
    }
}
