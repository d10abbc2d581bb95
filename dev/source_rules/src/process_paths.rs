//! Places that open the directory of a process by its number.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;

use crate::modules::Module;
use crate::paths::{ends_with, paths};

/// Ends of paths to functions that open it, or that of each process.
const OPENERS: [&[&str]; 3] = [
    &["Process", "new"],
    &["Process", "new_with_root"],
    &["all_processes"],
];

/// Returns the ways in which a module opens the directory of a process by its number, each once.
pub fn opened_processes(module: &Module) -> Vec<String> {
    let mut found: Vec<String> = paths(&module.source)
        .into_iter()
        .filter(|path| OPENERS.iter().any(|end| ends_with(path, end)))
        .map(|path| path.join("::"))
        .collect();
    add_texts(module.source.to_token_stream(), &mut found);
    found.sort();
    found.dedup();
    found
}

/// Adds texts with the path of a process by its number, and `new("/proc")`, to which a number is joined.
fn add_texts(tokens: TokenStream, found: &mut Vec<String>) {
    let mut is_made_from = false;
    for token in tokens {
        let is_maker = matches!(&token, TokenTree::Ident(name) if name == "new" || name == "from");
        match token {
            TokenTree::Literal(text) if text.to_string().starts_with("\"/proc/{") => {
                found.push(text.to_string());
            }
            TokenTree::Group(group) => {
                if is_made_from && group.stream().to_string() == "\"/proc\"" {
                    found.push("\"/proc\"".to_owned());
                }
                add_texts(group.stream(), found);
            }
            TokenTree::Literal(_) | TokenTree::Ident(_) | TokenTree::Punct(_) => {}
        }
        is_made_from = is_maker;
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn found(source: &str) -> Vec<String> {
        opened_processes(&Module {
            path: Vec::new(),
            file: PathBuf::new(),
            source: syn::parse_file(source).unwrap(),
        })
    }

    #[test]
    fn each_way_is_found() {
        for (body, way) in [
            ("fs::read(format!(\"/proc/{pid}/comm\"))", "\"/proc/{pid}/comm\""),
            ("Path::new(\"/proc\").join(pid)", "\"/proc\""),
            ("let base = PathBuf::from(\"/proc\");", "\"/proc\""),
            ("Process::new(7)", "Process::new"),
            (
                "procfs::process::Process::new_with_root(path)",
                "procfs::process::Process::new_with_root",
            ),
            (
                "procfs::process::all_processes()",
                "procfs::process::all_processes",
            ),
        ] {
            let source = format!("fn f() {{ {body} }}");
            assert_eq!(found(&source), [way], "{body}");
        }
        let own = "fn f() { fs::read(\"/proc/self/stat\"); path.starts_with(\"/proc\"); Process::myself() }";
        assert!(found(own).is_empty());
    }
}
