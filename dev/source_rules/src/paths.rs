//! Paths in source code that may lead into the crate itself.

use proc_macro2::{TokenStream, TokenTree};
use syn::UseTree;
use syn::visit::Visit;

/// Returns all paths of a file: those of `use` items one by one, and those of expressions, types and macro arguments.
pub(crate) fn paths(file: &syn::File) -> Vec<Vec<String>> {
    let mut collector = PathCollector::default();
    collector.visit_file(file);
    collector.paths
}

/// Returns whether a path ends with these names.
pub(crate) fn ends_with(path: &[String], end: &[&str]) -> bool {
    let start = path.len().checked_sub(end.len());
    start.is_some_and(|start| path[start..] == *end)
}

#[derive(Default)]
struct PathCollector {
    paths: Vec<Vec<String>>,
}

impl<'ast> Visit<'ast> for PathCollector {
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        self.add_use_tree(&mut Vec::new(), &item.tree);
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments = path.segments.iter().map(|segment| segment.ident.to_string());
        self.paths.push(segments.collect());
        syn::visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, invocation: &'ast syn::Macro) {
        self.add_tokens(invocation.tokens.clone());
        syn::visit::visit_macro(self, invocation);
    }

    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {
        // `pub(crate)` imports nothing.
    }
}

impl PathCollector {
    fn add_use_tree(&mut self, prefix: &mut Vec<String>, tree: &UseTree) {
        match tree {
            UseTree::Path(path) => {
                prefix.push(path.ident.to_string());
                self.add_use_tree(prefix, &path.tree);
                prefix.pop();
            }
            UseTree::Name(name) => self.add_use_name(prefix, &name.ident),
            UseTree::Rename(rename) => self.add_use_name(prefix, &rename.ident),
            UseTree::Glob(_) => self.paths.push(prefix.clone()),
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.add_use_tree(prefix, tree);
                }
            }
        }
    }

    fn add_use_name(&mut self, prefix: &[String], name: &proc_macro2::Ident) {
        let mut path = prefix.to_vec();
        if name != "self" {
            path.push(name.to_string());
        }
        self.paths.push(path);
    }

    /// Finds `a::b::c` among the tokens of a macro. A single word, as in `pub(crate)`, is no import.
    fn add_tokens(&mut self, tokens: TokenStream) {
        let mut path: Vec<String> = Vec::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => {
                    if colons != 2 {
                        self.add_words(&mut path);
                    }
                    path.push(ident.to_string());
                    colons = 0;
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' => colons += 1,
                TokenTree::Group(group) => {
                    self.add_words(&mut path);
                    self.add_tokens(group.stream());
                }
                _ => self.add_words(&mut path),
            }
        }
        self.add_words(&mut path);
    }

    fn add_words(&mut self, path: &mut Vec<String>) {
        let path = std::mem::take(path);
        if path.len() > 1 {
            self.paths.push(path);
        }
    }
}
