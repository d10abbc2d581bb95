//! Places in source code where a path is opened, read or looked at.

use syn::visit::Visit;

use crate::modules::Module;
use crate::paths::{ends_with, paths};

/// Ends of paths to functions that take the path of a file and follow links on the way.
const OPENERS: [&[&str]; 16] = [
    &["File", "open"],
    &["File", "options"],
    &["OpenOptions", "new"],
    &["fs", "OpenOptions"],
    &["fs", "canonicalize"],
    &["fs", "copy"],
    &["fs", "metadata"],
    &["fs", "open"],
    &["fs", "openat"],
    &["fs", "openat2"],
    &["fs", "read"],
    &["fs", "read_dir"],
    &["fs", "read_link"],
    &["fs", "read_to_string"],
    &["fs", "symlink_metadata"],
    &["ProgramFile", "open"],
];

/// Methods of paths that do the same, and have no other meaning elsewhere.
const METHODS: [&str; 4] = ["canonicalize", "read_dir", "read_link", "symlink_metadata"];

#[derive(Default)]
struct Methods(Vec<String>);

impl<'ast> Visit<'ast> for Methods {
    fn visit_expr_method_call(&mut self, call: &'ast syn::ExprMethodCall) {
        let name = call.method.to_string();
        if METHODS.contains(&name.as_str()) {
            self.0.push(format!(".{name}"));
        }
        syn::visit::visit_expr_method_call(self, call);
    }
}

/// Returns the functions that open files in a module, each once, in the order of their names.
pub fn openers(module: &Module) -> Vec<String> {
    let found = paths(&module.source).into_iter().filter_map(|path| {
        let end = OPENERS.iter().find(|end| ends_with(&path, end))?;
        Some(end.join("::"))
    });
    let mut found: Vec<String> = found.collect();
    let mut methods = Methods::default();
    methods.visit_file(&module.source);
    found.extend(methods.0);
    found.sort();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn openers_are_found_in_calls_imports_and_macros() {
        let of = |source: &str| {
            let module = Module {
                path: Vec::new(),
                file: PathBuf::new(),
                source: syn::parse_file(source).unwrap(),
            };
            openers(&module).join(" ")
        };
        assert_eq!(of("fn f() { std::fs::File::open(x); }"), "File::open");
        assert_eq!(of("fn f() { format!(\"{}\", fs::read(x)) }"), "fs::read");
        assert_eq!(of("use rustix::fs::{CWD, openat};"), "fs::openat");
        assert_eq!(of("use std::fs::{self, OpenOptions};"), "fs::OpenOptions");
        assert_eq!(of("fn f(path: &Path) { path.read_dir(); }"), ".read_dir");
        assert_eq!(
            of("fn f() { InputFile::open(x); File::create(y); fs::remove_file(z); }"),
            ""
        );
    }
}
