//! Sizes that a reviewer should look at: long functions and files, tiny files, and crowded directories.
//!
//! A large or tiny one is no error. A match over all variants of an enum is long by nature and stays whole.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use syn::spanned::Spanned;
use syn::visit::Visit;

use crate::packages::rust_files;

/// Most files in a directory.
const FILES: usize = 16;

/// Most lines in a file, tests included.
const LINES: usize = 400;

/// Least lines in a file that does more than name modules and export their items.
const FEW_LINES: usize = 15;

/// Most lines in a function, from its name to its end.
const FUNCTION_LINES: usize = 60;

/// Returns a line for each size below `root` that is out of the usual, sorted by path.
///
/// # Errors
///
/// Returns an error if a file cannot be read or is not Rust.
pub fn oversized(root: &Path) -> io::Result<Vec<String>> {
    let mut found = Vec::new();
    let mut counts: BTreeMap<PathBuf, usize> = BTreeMap::new();
    for file in rust_files(root) {
        let text = fs::read_to_string(&file)?;
        let source = syn::parse_file(&text)
            .map_err(|error| io::Error::other(format!("cannot parse {}: {error}", file.display())))?;
        let path = file.strip_prefix(root).unwrap_or(&file).display();
        found.extend(of_file(&source, text.lines().count()).map(|size| format!("{path}: {size}")));
        if let Some(directory) = file.parent() {
            *counts.entry(directory.to_owned()).or_default() += 1;
        }
    }
    for (directory, count) in counts.into_iter().filter(|(_, count)| *count > FILES) {
        let path = directory.strip_prefix(root).unwrap_or(&directory).display();
        found.push(format!("{path}: {count} files"));
    }
    found.sort();
    Ok(found)
}

fn of_file(source: &syn::File, lines: usize) -> impl Iterator<Item = String> {
    let names_modules = |item: &syn::Item| matches!(item, syn::Item::Mod(_) | syn::Item::Use(_));
    let is_tiny = lines < FEW_LINES && !source.items.iter().all(names_modules);
    let of_file = (lines > LINES || is_tiny).then(|| format!("{lines} lines"));
    let mut functions = FunctionSizes::default();
    functions.visit_file(source);
    let long = functions
        .0
        .into_iter()
        .filter(|(_, lines)| *lines > FUNCTION_LINES);
    of_file
        .into_iter()
        .chain(long.map(|(name, lines)| format!("{name} has {lines} lines")))
}

/// Names of functions with their numbers of lines.
#[derive(Default)]
struct FunctionSizes(Vec<(String, usize)>);

impl FunctionSizes {
    fn add(&mut self, signature: &syn::Signature, block: &syn::Block) {
        let lines = block.span().end().line - signature.span().start().line + 1;
        self.0.push((signature.ident.to_string(), lines));
    }
}

impl<'ast> Visit<'ast> for FunctionSizes {
    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.add(&item.sig, &item.block);
        syn::visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.add(&item.sig, &item.block);
        syn::visit::visit_impl_item_fn(self, item);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(text: &str) -> Vec<String> {
        of_file(&syn::parse_file(text).unwrap(), text.lines().count()).collect()
    }

    #[test]
    fn long_functions_and_files_are_named() {
        let body = "    call();\n".repeat(60);
        assert_eq!(sizes(&format!("fn f() {{\n{body}}}\n")), ["f has 62 lines"]);
        let short = "fn f() {}\n".repeat(401);
        assert_eq!(sizes(&short), ["401 lines"]);
    }

    #[test]
    fn tiny_files_are_named_but_for_those_that_export() {
        assert_eq!(sizes("const A: u8 = 1;\n"), ["1 lines"]);
        assert_eq!(sizes("mod a;\npub use a::B;\n"), [""; 0]);
    }
}
