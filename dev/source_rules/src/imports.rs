//! Imports between the modules of one crate.

use std::collections::BTreeSet;

use crate::modules::Module;
use crate::paths::paths;

/// Import of one module by another: indexes into the list of modules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Import {
    /// Module that imports.
    pub from: usize,
    /// Module that is imported.
    pub to: usize,
}

/// Returns all imports between the modules of a crate, each once.
///
/// An import leads to the deepest module of its path: `crate::schedule::Rate` imports `schedule`, and
/// `crate::schedule::rate::Rate` imports `schedule::rate`.
pub fn imports(modules: &[Module]) -> BTreeSet<Import> {
    let mut imports = BTreeSet::new();
    for (from, module) in modules.iter().enumerate() {
        for path in paths(&module.source) {
            let target = absolute(modules, &module.path, &path).and_then(|path| deepest(modules, &path));
            if let Some(to) = target.filter(|&to| to != from) {
                imports.insert(Import { from, to });
            }
        }
    }
    imports
}

/// Returns the first names of all paths of a module: other crates that it uses are among them.
pub fn imported_crates(module: &Module) -> BTreeSet<String> {
    let paths = paths(&module.source).into_iter();
    paths.filter_map(|path| path.into_iter().next()).collect()
}

/// Returns the path from the crate's root, or `None` if the path leads elsewhere.
fn absolute(modules: &[Module], own: &[String], path: &[String]) -> Option<Vec<String>> {
    let mut base = own.to_vec();
    let mut rest = path;
    match path.first()?.as_str() {
        "crate" => (base, rest) = (Vec::new(), &path[1..]),
        "self" | "super" => {
            while let Some(keyword) = rest.first().filter(|word| *word == "self" || *word == "super") {
                if keyword == "super" {
                    base.pop()?;
                }
                rest = &rest[1..];
            }
        }
        first => {
            let child = [own, &[first.to_owned()]].concat();
            modules.iter().find(|module| module.path == child)?;
        }
    }
    Some([base, rest.to_vec()].concat())
}

fn deepest(modules: &[Module], path: &[String]) -> Option<usize> {
    (0..=path.len())
        .rev()
        .find_map(|length| modules.iter().position(|module| module.path == path[..length]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn module(path: &str, source: &str) -> Module {
        let path = path.split("::").filter(|part| !part.is_empty());
        Module {
            path: path.map(str::to_owned).collect(),
            file: "src/x.rs".into(),
            source: syn::parse_file(source).unwrap(),
        }
    }

    fn found(modules: &[Module]) -> Vec<(usize, usize)> {
        imports(modules)
            .into_iter()
            .map(|import| (import.from, import.to))
            .collect()
    }

    #[test]
    fn imports_of_every_form_are_found() {
        let modules = [
            module("", "pub use a::b::{X, Y as Z};"),
            module("a", ""),
            module("a::b", "fn f() -> super::T { crate::c::g::<crate::a::T>() }"),
            module("c", "fn g() { println!(\"{}\", crate::a::b::X); }"),
            module(
                "d",
                "use super::super::nothing; use std::fmt; use self::inner; use crate::c;",
            ),
        ];
        assert_eq!(found(&modules), [(0, 2), (2, 1), (2, 3), (3, 2), (4, 3)]);
    }

    #[test]
    fn crates_are_found_in_every_form() {
        let source = "use png::Encoder; fn f() -> flate2::Crc { toml::from_str(crate::a::b()) }";
        let found = imported_crates(&module("a", source));
        assert!(
            ["flate2", "png", "toml"].iter().all(|name| found.contains(*name)),
            "{found:?}"
        );
    }

    #[test]
    fn visibility_and_other_crates_are_no_imports() {
        let modules = [
            module("", ""),
            module(
                "a",
                "pub(crate) struct S; use serde::a::X; m! { pub(crate) fn f() {} }",
            ),
        ];
        assert_eq!(found(&modules), []);
    }
}
