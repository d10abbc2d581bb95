//! Initialised data directories, made once for each server and copied for each instance.

use std::collections::hash_map::DefaultHasher;
use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::hash::{Hash, Hasher};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, anyhow};
use tempfile::TempDir;

use crate::error::ServerError;
use crate::error::unless_gone;
use crate::install::Binary;
use crate::install::trusted_path::{Writers, trusted_directory};
use crate::instance::command_line;
use crate::instance::config::InstanceSetup;
use crate::instance::startup_failure::ended;
use crate::process::pidfd::ProcessEnd;
use crate::process::{Launch, ServerProcess};
use crate::storage::directory::{Directory, make_leaf};
use crate::storage::file_lock::FileLock;
use logtrace_common::Variable;

/// Interval between two looks at a template that another process makes.
const LOCK_POLL: Duration = Duration::from_millis(50);

/// Suffix of the key in the name of an unfinished template.
const UNFINISHED: &str = ".unfinished-";

/// Name of the data directory in a template.
const DATA: &str = "data";

/// Returns the data directory of the template for these settings, on which initialisation depends. Initialises it if there
/// is none yet. Two processes that need the same template at the same time initialise it once.
///
/// The data belongs to the server's user, in a directory that only root may enter.
pub(crate) async fn prepare(
    setup: &InstanceSetup,
    fixed: &[Variable],
    progress: &(dyn Fn(&str) + Sync),
) -> Result<Directory, ServerError> {
    let binary = &setup.config.binary;
    let templates = &trusted_directory(&setup.config.home.templates, Some(0o755), Writers::Ours)
        .map_err(ServerError::directory("use", &setup.config.home.templates))?;
    let metadata = fs::metadata(&binary.path).map_err(ServerError::directory("read", &binary.path))?;
    let key = key(binary, &metadata, fixed, setup.user.uid);
    let template = templates.join(&key);
    if let Some(data) = open(&template)? {
        return Ok(data);
    }
    setup.user.create_directory(templates)?;
    let _lock = lock(&templates.join(format!("{key}.lock")), progress).await?;
    if let Some(data) = open(&template)? {
        return Ok(data);
    }
    // Failing costs disk space, not correctness: the next one tries again.
    let _ = remove_unfinished(templates, |unfinished| unfinished == key);
    progress(&format!(
        "initialising a {} {} data directory (once)",
        binary.flavor, binary.version
    ));
    make(setup, fixed, &key, &template).await?;
    let made = open(&template)?;
    Ok(made.with_context(|| format!("{} is gone again", template.display()))?)
}

/// Opens the data of a template, if there is one. Refuses a template that others than root could have made or changed.
fn open(template: &Path) -> Result<Option<Directory>, ServerError> {
    let shown = template.display();
    let directory = match Directory::open(template) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened.with_context(|| format!("{shown} is no template of logtrace: remove it"))?,
    };
    let stat = directory
        .stat()
        .map_err(ServerError::directory("inspect", template))?;
    let own = rustix::process::geteuid().as_raw();
    if stat.st_uid != own || stat.st_mode & 0o077 != 0 {
        return Err(anyhow!(
            "{shown} is no template of logtrace: it belongs to user {}, with mode {:o}, and others may have changed it. \
             Remove it",
            stat.st_uid,
            stat.st_mode & 0o7777
        )
        .into());
    }
    let data = directory.directory(DATA.as_ref());
    Ok(Some(
        data.map_err(ServerError::directory("open the data of", template))?,
    ))
}

async fn lock(path: &Path, progress: &(dyn Fn(&str) + Sync)) -> Result<File, ServerError> {
    let mut options = OpenOptions::new();
    let file = options
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(path)
        .map_err(ServerError::directory("open the lock", path))?;
    let mut is_waiting = false;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(source)) => return Err(ServerError::directory("lock", path)(source)),
        }
        if !is_waiting {
            progress("waiting for another logtrace that initialises the same data directory");
            is_waiting = true;
        }
        tokio::time::sleep(LOCK_POLL).await;
    }
}

async fn make(
    setup: &InstanceSetup,
    fixed: &[Variable],
    key: &str,
    template: &Path,
) -> Result<(), ServerError> {
    let templates = &setup.config.home.templates;
    let fail = |what| ServerError::directory(what, templates);
    let mut work =
        TempDir::with_prefix_in(format!("{key}{UNFINISHED}"), templates).map_err(fail("write to"))?;
    let directory = Directory::open(work.path()).map_err(fail("write to"))?;
    let (data, tmp) = (work.path().join(DATA), work.path().join("tmp"));
    directory.set_mode(0o711).map_err(fail("write to"))?;
    for leaf in [&data, &tmp] {
        make_leaf(leaf, &setup.user).map_err(fail("write to"))?;
    }
    initialise(setup, fixed, work.path(), &data, &tmp).await?;
    directory.set_mode(0o700).map_err(fail("close"))?;
    finish(&directory, setup).map_err(fail("write to"))?;
    fs::remove_dir_all(tmp).map_err(fail("write to"))?;
    fs::rename(work.path(), template).map_err(fail("write to"))?;
    work.disable_cleanup(true);
    Ok(())
}

/// Removes the identity of the server from new data, because each instance shall make a `server_uuid` of its own.
fn finish(work: &Directory, setup: &InstanceSetup) -> io::Result<()> {
    let data = work.directory(DATA.as_ref())?;
    unless_gone(setup.user.act(|| data.remove_file("auto.cnf"))?)?;
    data.sync()
}

async fn initialise(
    setup: &InstanceSetup,
    fixed: &[Variable],
    work: &Path,
    data: &Path,
    tmp: &Path,
) -> Result<(), ServerError> {
    let InstanceSetup {
        config, user, log, ..
    } = setup;
    let (program, arguments) = command_line::initialise(&config.binary, data, tmp, fixed)?;
    let process = ServerProcess::spawn(&Launch {
        program: &program,
        arguments: &arguments,
        run_as: user.run_as(),
        directory: work,
        group: None,
        cpus: None,
        log,
    })?;
    match process.watch.ended().await {
        ProcessEnd::Code(0) => Ok(()),
        exit => {
            let doing = "initialising a data directory";
            Err(ended(&config.binary, doing, exit, log, &config.home.templates))
        }
    }
}

/// Removes the unfinished templates of a killed logtrace, and returns their directories.
pub fn sweep_templates(templates: &Path) -> io::Result<Vec<PathBuf>> {
    let templates = &trusted_directory(templates, None, Writers::Ours)?;
    remove_unfinished(templates, |key| {
        let lock = File::open(templates.join(format!("{key}.lock")));
        lock.and_then(FileLock::acquire).is_ok_and(|lock| lock.is_some())
    })
}

/// Removes unfinished templates whose key nobody else initialises, and returns their directories.
fn remove_unfinished(templates: &Path, is_free: impl Fn(&str) -> bool) -> io::Result<Vec<PathBuf>> {
    let mut removed = Vec::new();
    for entry in fs::read_dir(templates)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.split_once(UNFINISHED).is_some_and(|(key, _)| is_free(key)) {
            fs::remove_dir_all(entry.path())?;
            removed.push(entry.path());
        }
    }
    Ok(removed)
}

/// Returns the key of a template, whose data belongs to the user `uid`. Its hash may change with the compiler's library,
/// which costs another initialisation.
fn key(binary: &Binary, metadata: &Metadata, settings: &[Variable], uid: u32) -> String {
    let mut hasher = DefaultHasher::new();
    binary.path.hash(&mut hasher);
    (metadata.mtime(), metadata.mtime_nsec(), metadata.len()).hash(&mut hasher);
    settings.hash(&mut hasher);
    uid.hash(&mut hasher);
    let flavor = binary.flavor.as_str();
    format!("{flavor}-{}-{:016x}", binary.version, hasher.finish())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

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
        let plain = key(&binary, &now(), &[], 1);
        assert!(plain.starts_with("mysql-9.7.4-"), "{plain}");
        assert_eq!(plain, key(&binary, &now(), &[], 1));
        let page_size = [Variable::new("innodb_page_size", "4k")];
        assert_ne!(plain, key(&binary, &now(), &page_size, 1));
        assert_ne!(plain, key(&binary, &now(), &[], 2));
        fs::write(&path, "a new build").unwrap();
        assert_ne!(plain, key(&binary, &now(), &[], 1));
    }

    #[test]
    fn a_template_that_others_could_have_made_is_refused() {
        let templates = tempfile::tempdir().unwrap();
        let path = |name: &str| templates.path().join(name);
        for (name, mode) in [("good", 0o700), ("open", 0o755)] {
            fs::create_dir_all(path(name).join(DATA)).unwrap();
            fs::set_permissions(path(name), fs::Permissions::from_mode(mode)).unwrap();
        }
        fs::create_dir(path("empty")).unwrap();
        fs::set_permissions(path("empty"), fs::Permissions::from_mode(0o700)).unwrap();
        symlink(path("good"), path("link")).unwrap();
        symlink(path("good").join(DATA), path("empty").join(DATA)).unwrap();
        assert!(open(&path("good")).unwrap().is_some());
        assert!(open(&path("none")).unwrap().is_none());
        for name in ["open", "link", "empty"] {
            let error = open(&path(name)).unwrap_err().to_string();
            assert!(error.contains(path(name).to_str().unwrap()), "{error}");
        }
    }
}
