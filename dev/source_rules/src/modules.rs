//! Modules of a package: one for each source file.

use std::io;
use std::path::{Path, PathBuf};

use crate::packages::rust_files;

/// Module with a file of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// Path inside the crate, such as `["schedule", "rate"]`. It is empty for the crate's root.
    pub path: Vec<String>,
    /// Source file.
    pub file: PathBuf,
    /// Parsed source without test code.
    pub source: syn::File,
}

/// Parses all modules of the package in `directory`, without test code.
///
/// # Errors
///
/// Returns an error if a file cannot be read or is not Rust.
pub fn modules(directory: &Path) -> io::Result<Vec<Module>> {
    let source = directory.join("src");
    let mut modules = Vec::new();
    for file in rust_files(&source) {
        let Some(path) = module_path(file.strip_prefix(&source).unwrap_or(&file)) else {
            continue;
        };
        let text = std::fs::read_to_string(&file)?;
        let mut source = syn::parse_file(&text)
            .map_err(|error| io::Error::other(format!("cannot parse {}: {error}", file.display())))?;
        source.items.retain(|item| !is_test_module(item));
        modules.push(Module { path, file, source });
    }
    Ok(modules)
}

/// Returns the module path of a file, or `None` for a file of unit tests.
fn module_path(file: &Path) -> Option<Vec<String>> {
    let mut path: Vec<String> = file
        .with_extension("")
        .iter()
        .map(|part| part.to_string_lossy().into_owned())
        .collect();
    match path.last()?.as_str() {
        "tests" => return None,
        "mod" | "lib" | "main" => {
            path.pop();
        }
        _ => {}
    }
    Some(path)
}

fn is_test_module(item: &syn::Item) -> bool {
    let attributes = match item {
        syn::Item::Mod(module) => &module.attrs,
        syn::Item::Fn(function) => &function.attrs,
        syn::Item::Use(import) => &import.attrs,
        _ => return false,
    };
    attributes.iter().any(|attribute| {
        let list = attribute.meta.require_list();
        attribute.path().is_ident("cfg") && list.is_ok_and(|list| list.tokens.to_string() == "test")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_become_module_paths() {
        let path = |file: &str| module_path(Path::new(file)).map(|path| path.join("::"));
        assert_eq!(path("lib.rs").unwrap(), "");
        assert_eq!(path("schedule/mod.rs").unwrap(), "schedule");
        assert_eq!(path("schedule/rate.rs").unwrap(), "schedule::rate");
        assert_eq!(path("schedule/tests.rs"), None);
    }
}
