//! Initialised data directories, made once for each server and copied for each instance.

use std::collections::hash_map::DefaultHasher;
use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::hash::{Hash, Hasher};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::anyhow;
use tempfile::TempDir;

use crate::error::ServerError;
use crate::install::binary::{Binary, path_list};
use crate::install::os_user::ServerUser;
use crate::instance::command_line;
use crate::instance::instance_dir;
use crate::instance::startup_failure::ended;
use crate::process::child::{Launch, ServerProcess};
use crate::process::error_log::ServerLog;
use crate::process::pidfd::Exit;
use crate::settings::variable::fixed_at_initialisation;
use logtrace_common::Variable;

/// Interval between two looks at a template that another process makes.
const LOCK_POLL: Duration = Duration::from_millis(50);

/// Suffix of the key in the name of an unfinished template.
const UNFINISHED: &str = ".unfinished-";

/// Inputs of a template.
#[derive(Debug)]
pub(crate) struct TemplateSource<'a> {
    pub(crate) binary: &'a Binary,
    /// Settings of the instance. Only those that initialisation depends on are used.
    pub(crate) settings: &'a [Variable],
    pub(crate) user: &'a ServerUser,
    pub(crate) log: &'a ServerLog,
    /// Directory of all templates.
    pub(crate) templates: &'a Path,
}

impl TemplateSource<'_> {
    /// Returns the directory of the template, and initialises it if there is none yet. Two processes that need the same
    /// template at the same time initialise it once.
    pub(crate) async fn prepare(&self, progress: &(dyn Fn(&str) + Sync)) -> Result<PathBuf, ServerError> {
        let key = self.key()?;
        let template = self.templates.join(&key);
        if template.is_dir() {
            return Ok(template);
        }
        instance_dir::create_open(self.templates, self.user)?;
        let _lock = self.lock(&key, progress).await?;
        if !template.is_dir() {
            self.remove_unfinished(&key);
            let Binary { flavor, version, .. } = self.binary;
            progress(&format!(
                "initialising a {flavor} {version} data directory (once)"
            ));
            self.make(&key, &template).await?;
        }
        Ok(template)
    }

    /// Returns a name of the server and of everything that its initialised files depend on.
    fn key(&self) -> Result<String, ServerError> {
        let path = &self.binary.path;
        let metadata = fs::metadata(path).map_err(ServerError::directory("read", path))?;
        Ok(key(
            self.binary,
            &metadata,
            &fixed_at_initialisation(self.settings),
        ))
    }

    async fn lock(&self, key: &str, progress: &(dyn Fn(&str) + Sync)) -> Result<File, ServerError> {
        let path = self.templates.join(format!("{key}.lock"));
        let open = || {
            OpenOptions::new()
                .write(true)
                .create(true)
                .truncate(false)
                .mode(0o600)
                .open(&path)
        };
        let file = open().map_err(ServerError::directory("open the lock", &path))?;
        let mut told = false;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(source)) => {
                    return Err(ServerError::directory("lock", &path)(source));
                }
            }
            if !told {
                progress("waiting for another logtrace that initialises the same data directory");
                told = true;
            }
            tokio::time::sleep(LOCK_POLL).await;
        }
    }

    /// Removes unfinished templates of a killed logtrace. The caller holds the lock.
    fn remove_unfinished(&self, key: &str) {
        let Ok(entries) = fs::read_dir(self.templates) else {
            return;
        };
        for entry in entries.flatten() {
            if entry.file_name().to_string_lossy().starts_with(&unfinished(key)) {
                // Failing costs disk space, not correctness: the next one tries again.
                let _ = fs::remove_dir_all(entry.path());
            }
        }
    }

    async fn make(&self, key: &str, template: &Path) -> Result<(), ServerError> {
        let fail = |what| ServerError::directory(what, self.templates);
        let work = TempDir::with_prefix_in(unfinished(key), self.templates).map_err(fail("write to"))?;
        let (data, tmp) = (work.path().join("data"), work.path().join("tmp"));
        fs::create_dir(&tmp).map_err(fail("write to"))?;
        for directory in [work.path(), &tmp] {
            self.user.own(directory).map_err(fail("write to"))?;
        }
        self.initialise(work.path(), &data, &tmp).await?;
        // Each instance shall make a server_uuid of its own.
        match fs::remove_file(data.join("auto.cnf")) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(fail("write to")(error)),
            _ => {}
        }
        let sync = || rustix::fs::syncfs(File::open(&data)?).map_err(io::Error::from);
        sync().map_err(fail("write to"))?;
        fs::rename(&data, template).map_err(fail("write to"))
    }

    async fn initialise(&self, work: &Path, data: &Path, tmp: &Path) -> Result<(), ServerError> {
        let (program, arguments) = command_line::initialise(
            self.binary,
            data,
            tmp,
            &fixed_at_initialisation(self.settings),
        )
        .map_err(|scripts| {
            let list = path_list(&scripts);
            anyhow!(
                "found none of {list} to initialise a data directory: install the whole of MariaDB's server \
                         package"
            )
        })?;
        let process = ServerProcess::spawn(&Launch {
            program: &program,
            arguments: &arguments,
            user: self.user,
            directory: work,
            log: self.log,
        })?;
        match process.watch().ended().await {
            Exit::Code(0) => Ok(()),
            exit => Err(ended(
                self.binary,
                "initialising a data directory",
                exit,
                self.log,
                self.templates,
            )),
        }
    }
}

/// Removes the unfinished templates of a killed logtrace, and returns their directories.
pub fn sweep_templates(templates: &Path) -> io::Result<Vec<PathBuf>> {
    let mut removed = Vec::new();
    for entry in fs::read_dir(templates)? {
        let path = entry?.path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let Some((key, _)) = name.split_once(UNFINISHED) else {
            continue;
        };
        let Ok(lock) = File::open(templates.join(format!("{key}.lock"))) else {
            continue;
        };
        if lock.try_lock().is_ok() {
            fs::remove_dir_all(&path)?;
            removed.push(path);
        }
    }
    Ok(removed)
}

/// Returns the key of a template. Its hash may change with the compiler's library, which costs another initialisation.
fn key(binary: &Binary, metadata: &Metadata, settings: &[Variable]) -> String {
    let mut hasher = DefaultHasher::new();
    binary.path.hash(&mut hasher);
    (metadata.mtime(), metadata.mtime_nsec(), metadata.len()).hash(&mut hasher);
    settings.hash(&mut hasher);
    let flavor = binary.flavor.as_str();
    format!("{flavor}-{}-{:016x}", binary.version, hasher.finish())
}

fn unfinished(key: &str) -> String {
    format!("{key}{UNFINISHED}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use logtrace_common::Flavor;

    #[test]
    fn only_what_nobody_initialises_is_removed() {
        let templates = tempfile::tempdir().unwrap();
        let path = |name: &str| templates.path().join(name);
        for name in ["a", "b"] {
            fs::create_dir(path(name)).unwrap();
            fs::create_dir_all(path(&format!("{name}.unfinished-1/data"))).unwrap();
            fs::write(path(&format!("{name}.lock")), "").unwrap();
        }
        let held = File::open(path("b.lock")).unwrap();
        held.lock().unwrap();
        let removed = sweep_templates(templates.path()).unwrap();
        assert_eq!(removed, [path("a.unfinished-1")]);
        assert!(path("a").is_dir() && path("b.unfinished-1").is_dir() && !removed[0].exists());
    }

    #[test]
    fn a_template_serves_one_binary_and_its_fixed_settings() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("mysqld");
        fs::write(&path, "1").unwrap();
        let binary = Binary {
            path: path.clone(),
            flavor: Flavor::MySql,
            version: "9.7.4".into(),
        };
        let now = || fs::metadata(&path).unwrap();
        let plain = key(&binary, &now(), &[]);
        assert!(plain.starts_with("mysql-9.7.4-"), "{plain}");
        assert_eq!(plain, key(&binary, &now(), &[]));
        let page_size = [Variable::new("innodb_page_size", "4k")];
        assert_ne!(plain, key(&binary, &now(), &page_size));
        fs::write(&path, "a new build").unwrap();
        assert_ne!(plain, key(&binary, &now(), &[]));
    }
}
