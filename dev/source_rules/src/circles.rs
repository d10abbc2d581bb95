//! Circles of imports.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use petgraph::algo::tarjan_scc;
use petgraph::graph::DiGraph;

use crate::imports::Import;
use crate::modules::Module;

/// Modules of one directory that import each other in a circle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Circle {
    /// Path of the directory's module.
    pub directory: String,
    /// Names of the files and directories, with the imports between them.
    pub members: Vec<String>,
    /// Imports between members, as `from -> to`.
    pub imports: Vec<String>,
}

/// Returns the circles among the files and directories of each directory.
///
/// An import between two modules counts where their paths part: `a::x` that imports `b::y` is an import of the
/// directory `b` by the directory `a`. So no circle of files is missed: it is a circle in the directory that holds it.
pub fn circles(modules: &[Module], imports: &BTreeSet<Import>) -> Vec<Circle> {
    let mut by_directory: BTreeMap<Vec<String>, DirectoryImports> = BTreeMap::new();
    for import in imports {
        let (from, to) = (&modules[import.from].path, &modules[import.to].path);
        let common = from.iter().zip(to).take_while(|(a, b)| a == b).count();
        let member = |path: &[String]| path.get(common).map_or("mod.rs", String::as_str).to_owned();
        let text = format!("{} -> {}", written(from), written(to));
        let directory = by_directory.entry(from[..common].to_vec()).or_default();
        directory.insert((member(from), member(to)), text);
    }
    let circles = by_directory.into_iter();
    circles
        .flat_map(|(path, imports)| circles_of(&written(&path), &imports))
        .collect()
}

/// Imports between the members of a directory, with their texts.
type DirectoryImports = BTreeMap<(String, String), String>;

fn circles_of(directory: &str, imports: &DirectoryImports) -> Vec<Circle> {
    let names: BTreeSet<&String> = imports.keys().flat_map(|(from, to)| [from, to]).collect();
    let mut graph = DiGraph::new();
    let nodes: BTreeMap<_, _> = names
        .into_iter()
        .map(|name| (name, graph.add_node(name)))
        .collect();
    for (from, to) in imports.keys() {
        graph.add_edge(nodes[from], nodes[to], ());
    }
    let components = tarjan_scc(&graph)
        .into_iter()
        .filter(|component| component.len() > 1);
    let circle = |component: Vec<_>| {
        let members: BTreeSet<&String> = component.into_iter().map(|node| graph[node]).collect();
        let inside = imports
            .iter()
            .filter(|((from, to), _)| members.contains(from) && members.contains(to));
        Circle {
            directory: directory.to_owned(),
            imports: inside.map(|(_, text)| text.clone()).collect(),
            members: members.into_iter().cloned().collect(),
        }
    };
    components.map(circle).collect()
}

fn written(path: &[String]) -> String {
    match path {
        [] => "crate".to_owned(),
        _ => path.join("::"),
    }
}

impl fmt::Display for Circle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "in {}: {}", self.directory, self.members.join(", "))?;
        self.imports
            .iter()
            .try_for_each(|import| write!(f, "\n    {import}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::imports::imports;

    fn module(path: &str, source: &str) -> Module {
        Module {
            path: path
                .split("::")
                .filter(|part| !part.is_empty())
                .map(str::to_owned)
                .collect(),
            file: "src/x.rs".into(),
            source: syn::parse_file(source).unwrap(),
        }
    }

    fn members(modules: &[Module]) -> Vec<Vec<String>> {
        circles(modules, &imports(modules))
            .into_iter()
            .map(|circle| circle.members)
            .collect()
    }

    #[test]
    fn circle_between_directories_is_found_without_one_between_files() {
        let modules = [
            module("a::x", "use crate::b::y::Y;"),
            module("b::y", ""),
            module("b::z", "use crate::a::w::W;"),
            module("a::w", ""),
        ];
        assert_eq!(members(&modules), [["a", "b"]]);
    }

    #[test]
    fn child_that_imports_its_importing_parent_is_a_circle() {
        let modules = [module("a", "pub use x::X;"), module("a::x", "use super::T;")];
        assert_eq!(members(&modules), [["mod.rs", "x"]]);
    }

    #[test]
    fn imports_in_one_direction_are_no_circle() {
        let modules = [
            module("", "pub use a::A;"),
            module("a", "use crate::b::B;"),
            module("b", "use crate::c;"),
            module("c", ""),
        ];
        assert_eq!(members(&modules), Vec::<Vec<String>>::new());
    }
}
