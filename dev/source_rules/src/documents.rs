//! Files and tests that Markdown documents name.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Directories at the root of the workspace, as inline code names them.
const DIRECTORIES: [&str; 9] = [
    "crates/",
    "dev/",
    "src/",
    "tests/",
    "scripts/",
    "studies/",
    "docs/",
    "benches/",
    "workloads/",
];

/// Returns what the Markdown document `file` names and what does not exist: targets of links, paths below `root` in inline
/// code, and tests written as `` `path`: `test` ``.
///
/// # Errors
///
/// Returns an error if the document cannot be read.
pub fn missing_names(root: &Path, file: &Path) -> io::Result<Vec<String>> {
    let text = without_code_blocks(&fs::read_to_string(file)?);
    let directory = file.parent().unwrap_or(root);
    let mut missing: Vec<String> = link_targets(&text)
        .filter(|target| !directory.join(target).exists())
        .map(str::to_owned)
        .collect();
    let pieces: Vec<&str> = text.split('`').collect();
    for (at, piece) in pieces.iter().enumerate().skip(1).step_by(2) {
        if !DIRECTORIES.iter().any(|directory| piece.starts_with(directory)) || piece.contains(' ') {
            continue;
        }
        let path = root.join(piece);
        if !path.exists() {
            missing.push((*piece).to_owned());
        } else if pieces.get(at + 1) == Some(&": ") {
            missing.extend(missing_test(
                &path,
                pieces.get(at + 2).copied().unwrap_or_default(),
            ));
        }
    }
    Ok(missing)
}

/// Returns the Markdown documents of the workspace at `root`.
///
/// # Errors
///
/// Returns an error if a directory cannot be read.
pub fn documents(root: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for directory in [root.to_owned(), root.join("docs"), root.join("docs/studies")] {
        for entry in fs::read_dir(directory)? {
            found.push(entry?.path());
        }
    }
    found.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    found.sort();
    Ok(found)
}

fn without_code_blocks(text: &str) -> String {
    let blocks = text.split("```").step_by(2);
    blocks.collect()
}

fn link_targets(text: &str) -> impl Iterator<Item = &str> {
    let ends = text.split("](").skip(1);
    let targets = ends.filter_map(|rest| rest.split([')', '#']).next());
    targets.filter(|target| !target.is_empty() && !target.contains("://"))
}

fn missing_test(path: &Path, name: &str) -> Option<String> {
    let source = fs::read_to_string(path).ok()?;
    let is_there = source.contains(&format!("fn {name}("));
    (!is_there).then(|| format!("{}: {name}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_end_at_the_bracket_or_the_anchor() {
        let text = "[a](x.md), [b](y.md#part), [c](#here) and [d](https://example.org)";
        assert_eq!(link_targets(text).collect::<Vec<_>>(), ["x.md", "y.md"]);
    }

    #[test]
    fn code_blocks_name_nothing() {
        assert_eq!(without_code_blocks("a\n```\n`src/x`\n```\nb"), "a\n\nb");
    }
}
