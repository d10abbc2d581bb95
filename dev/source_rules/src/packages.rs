//! Packages of the workspace and their source files.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use walkdir::WalkDir;

/// Package of the workspace.
#[derive(Clone, Debug)]
pub struct Package {
    /// Name in `Cargo.toml`.
    pub name: String,
    /// Directory that holds `Cargo.toml`.
    pub directory: PathBuf,
    /// Packages of the workspace that it depends on, without those for tests.
    pub dependencies: Vec<String>,
    /// Packages of the workspace that its tests depend on besides.
    pub test_dependencies: Vec<String>,
}

/// Reads the packages of the workspace at `root`.
///
/// # Errors
///
/// Returns an error if a directory or a `Cargo.toml` cannot be read.
pub fn packages(root: &Path) -> io::Result<Vec<Package>> {
    let mut directories = vec![root.to_owned()];
    for parent in ["crates", "dev"] {
        for entry in fs::read_dir(root.join(parent))? {
            directories.push(entry?.path());
        }
    }
    // Scripts of developers are beside their crates.
    directories.retain(|directory| directory.join("Cargo.toml").exists());
    directories.sort();
    directories.into_iter().map(read_package).collect()
}

/// Returns all `.rs` files below a directory, without those of build outputs.
pub fn rust_files(directory: &Path) -> Vec<PathBuf> {
    let is_output = |path: &Path| {
        path.file_name()
            .is_some_and(|name| name == "target" || name == ".git")
    };
    let mut files: Vec<PathBuf> = WalkDir::new(directory)
        .into_iter()
        .filter_entry(|entry| !is_output(entry.path()))
        .filter_map(Result::ok)
        .map(walkdir::DirEntry::into_path)
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .collect();
    files.sort();
    files
}

fn read_package(directory: PathBuf) -> io::Result<Package> {
    let manifest: toml::Table = fs::read_to_string(directory.join("Cargo.toml"))?
        .parse()
        .map_err(io::Error::other)?;
    let name = manifest["package"]["name"]
        .as_str()
        .unwrap_or_default()
        .to_owned();
    Ok(Package {
        name,
        dependencies: ours(&manifest, "dependencies"),
        test_dependencies: ours(&manifest, "dev-dependencies"),
        directory,
    })
}

/// Returns the packages of the workspace in a table of a manifest.
fn ours(manifest: &toml::Table, table: &str) -> Vec<String> {
    let dependencies = manifest.get(table).and_then(toml::Value::as_table);
    let names = dependencies.into_iter().flat_map(toml::Table::keys);
    names
        .filter(|name| name.starts_with("logtrace"))
        .cloned()
        .collect()
}
