//! Where a private server's files are: the placement of a class of them (`--place CLASS=DIR`), directories, disks and locks.

pub(crate) mod config;
pub(crate) mod directory;
pub(crate) mod discard_file;
pub(crate) mod file_location;
pub(crate) mod file_lock;
pub(crate) mod fs_image;
pub(crate) mod kernel_settings;
pub(crate) mod locked_dir;
pub(crate) mod mount;
pub(crate) mod mount_namespace;
pub(crate) mod path_values;
pub(crate) mod placed_dirs;
pub(crate) mod sync_rate;

use std::fmt;
use std::path;
use std::str::FromStr;
use strum::IntoEnumIterator;

use anyhow::{Context, anyhow, bail, ensure};

use crate::error::ServerError;
use crate::facts::placed::{PlacedClass, PlacedOn};
use crate::install::os_user::ServerUser;
use crate::install::trusted_path::{Writers, trusted_directory};
use crate::settings::BINLOG;
use crate::storage::file_location::FileLocation;
use logtrace_common::{FileClass, Flavor, LogNames, Variable};

/// MySQL's directory of temporary tablespaces. Its files are classified by this name.
pub(crate) const INNODB_TEMPORARY: &str = "#innodb_temp";

/// Classes of files that initialisation makes, other than data.
pub(crate) const INITIALISED: [FileClass; 3] = [FileClass::Redo, FileClass::Doublewrite, FileClass::Undo];

/// Class of files, and its location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// Class of the files.
    pub class: FileClass,
    /// Location of the files.
    pub place: FileLocation,
}

impl FromStr for Placement {
    type Err = ServerError;

    fn from_str(text: &str) -> Result<Self, ServerError> {
        let (class, directory) = text
            .split_once('=')
            .filter(|(class, directory)| !class.is_empty() && !directory.is_empty())
            .with_context(|| {
                format!("{text:?} is not a placement: write CLASS=DIR, for example redo=/mnt/fast")
            })?;
        let class = placeable()
            .find(|known| known.as_str() == class)
            .with_context(|| {
                let names: Vec<&str> = placeable().map(FileClass::as_str).collect();
                let names = names.join(", ");
                format!("{class:?} is not a class of files that can be placed: choose one of {names}")
            })?;
        Ok(Self {
            class,
            place: FileLocation::Directory(directory.into()),
        })
    }
}

/// Returns the classes that can be placed.
fn placeable() -> impl Iterator<Item = FileClass> {
    FileClass::iter().filter(|&class| class != FileClass::Other)
}

/// Checks that each class is placed once, that no setting sets a variable of a placement, and that the server reads
/// each location as one path.
pub fn check_placements(placements: &[Placement], settings: &[Variable]) -> Result<(), ServerError> {
    for (at, placement) in placements.iter().enumerate() {
        placement.check_path()?;
        let class = placement.class;
        if placements[..at].iter().any(|earlier| earlier.class == class) {
            return Err(anyhow!("{class} is placed twice: a class of files has one place").into());
        }
        let set = |setting: &&Variable| variables(class).contains(&setting.name());
        if let Some(setting) = settings.iter().find(set) {
            let variable = setting.name();
            return Err(anyhow!(
                "{variable} is set, and --place {class} sets it as well: leave one of the two"
            )
            .into());
        }
    }
    Ok(())
}

impl Placement {
    /// Checks that the path is a single entry if the variables of the class are lists.
    fn check_path(&self) -> anyhow::Result<()> {
        // The path that the server gets. A directory that does not exist is refused later.
        let FileLocation::Directory(given) = &self.place else {
            return Ok(());
        };
        let whole = given.canonicalize().or_else(|_| path::absolute(given));
        let whole = whole.unwrap_or_else(|_| given.clone());
        let parts = whole.as_os_str().as_encoded_bytes();
        ensure!(
            self.class != FileClass::Temporary || !parts.iter().any(|byte| b":;".contains(byte)),
            "temporary cannot be placed in {}: the server reads a colon or semicolon as the end of a path (tmpdir and \
             innodb_temp_data_file_path are lists). Choose a directory without them",
            whole.display()
        );
        Ok(())
    }

    /// Checks that the server has files of the class, and that its user may enter the directory.
    pub(crate) fn check(
        &self,
        flavor: Flavor,
        settings: &[Variable],
        user: &ServerUser,
    ) -> anyhow::Result<()> {
        self.check_server(flavor, settings)?;
        self.check_directory(user)
    }

    /// Checks that the server has files of the class, which may depend on its other settings.
    pub fn check_server(&self, flavor: Flavor, settings: &[Variable]) -> anyhow::Result<()> {
        let class = self.class;
        let separate_undo = settings
            .iter()
            .any(|setting| setting.name() == "innodb_undo_tablespaces" && setting.value() != "0");
        let is_query_log = matches!(self.class, FileClass::SlowLog | FileClass::GeneralLog);
        ensure!(
            self.place != FileLocation::Nothing || is_query_log,
            "{class} cannot be discarded: a server reads these files. Only slow_log and general_log can be placed in \
             \"nothing\""
        );
        let why = match (flavor, self.class) {
            (Flavor::MariaDb, FileClass::Doublewrite) => "its doublewrite buffer is a part of ibdata1",
            (Flavor::MariaDb, FileClass::Undo) if !separate_undo => {
                "its undo logs are in ibdata1 by default. Add --set innodb_undo_tablespaces=3"
            }
            _ => return Ok(()),
        };
        bail!("{flavor} cannot place {class}: {why}")
    }

    /// Checks that the directory exists and that the server's user may enter it.
    fn check_directory(&self, user: &ServerUser) -> anyhow::Result<()> {
        let FileLocation::Directory(directory) = &self.place else {
            return Ok(());
        };
        let failed = format!("cannot place {} in {}", self.class, directory.display());
        let found = trusted_directory(directory, None, Writers::OthersIfSticky);
        let inspected = found.and_then(|directory| user.first_closed(&directory));
        let closed = inspected
            .with_context(|| format!("{failed} (create the directory first, or name another one)"))?;
        match closed {
            None => Ok(()),
            Some(closed) => bail!(
                "{failed}: the server runs as user {}, who may not enter {closed}: chmod o+x {closed}, or name another \
                 directory",
                user.name,
                closed = closed.display()
            ),
        }
    }
}

/// Returns the variables that place a class.
fn variables(class: FileClass) -> &'static [&'static str] {
    match class {
        FileClass::Binlog => &["log_bin", "log_bin_index"],
        FileClass::Redo => &["innodb_log_group_home_dir"],
        FileClass::SlowLog => &["slow_query_log_file"],
        FileClass::GeneralLog => &["general_log_file"],
        FileClass::Data => &["datadir"],
        FileClass::Doublewrite => &["innodb_doublewrite_dir"],
        FileClass::Undo => &["innodb_undo_directory"],
        FileClass::Temporary => &[
            "tmpdir",
            "innodb_temp_data_file_path",
            "innodb_temp_tablespaces_dir",
        ],
        FileClass::Other => &[],
    }
}

/// Returns the settings that place the files of a class. The directories of data and temporary files are arguments of
/// each start instead.
pub(crate) fn settings(placed: &PlacedClass, flavor: Flavor) -> Vec<Variable> {
    let file = |name: &str| placed.directory.join(name).to_string_lossy().into_owned();
    let whole = || placed.directory.to_string_lossy().into_owned();
    let one = |name: &str, value: String| vec![Variable::new(name, &value)];
    let query_log = || match placed.on {
        PlacedOn::DevNull => "/dev/null".to_owned(),
        _ => file(query_log_name(placed.class)),
    };
    match placed.class {
        FileClass::Binlog => one("log_bin", file(BINLOG)),
        FileClass::Redo => one("innodb_log_group_home_dir", whole()),
        FileClass::SlowLog => one("slow_query_log_file", query_log()),
        FileClass::GeneralLog => one("general_log_file", query_log()),
        FileClass::Doublewrite => one("innodb_doublewrite_dir", whole()),
        FileClass::Undo => one("innodb_undo_directory", whole()),
        FileClass::Temporary => {
            // The size is the default of both servers.
            let shared = format!("{}:12M:autoextend", file("ibtmp1"));
            let mut settings = one("innodb_temp_data_file_path", shared);
            if flavor == Flavor::MySql {
                let tablespaces = file(INNODB_TEMPORARY);
                settings.push(Variable::new("innodb_temp_tablespaces_dir", &tablespaces));
            }
            settings
        }
        FileClass::Data | FileClass::Other => Vec::new(),
    }
}

/// Returns the file name of a placed slow or general log.
pub(crate) fn query_log_name(class: FileClass) -> &'static str {
    match class {
        FileClass::GeneralLog => "general.log",
        _ => "slow.log",
    }
}

/// Returns the class of an entry of an initialised data directory, if it has to move to a placed directory. Other files
/// are made anew by the server.
pub(crate) fn class_of_initial(name: &str, is_directory: bool) -> Option<FileClass> {
    let logs = LogNames {
        binlog: BINLOG.to_owned(),
        slow_log: String::new(),
        general_log: String::new(),
    };
    let path = match is_directory {
        true => format!("{name}/file"),
        false => name.to_owned(),
    };
    let class = FileClass::of(&path, &logs);
    INITIALISED.contains(&class).then_some(class)
}

impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.class, self.place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placement(text: &str) -> Placement {
        text.parse().unwrap()
    }

    #[test]
    fn a_placement_is_read_as_it_is_written() {
        for text in ["binlog=/a", "slow_log=b/c", "temporary=/x=y"] {
            assert_eq!(placement(text).to_string(), text);
        }
        for (text, word) in [
            ("binlog", "CLASS=DIR"),
            ("=/a", "CLASS=DIR"),
            ("binlog=", "CLASS=DIR"),
            ("other=/a", "doublewrite, undo"),
            ("Redo=/a", "binlog, redo"),
        ] {
            let error = text.parse::<Placement>().unwrap_err().to_string();
            assert!(error.contains(word), "{error}");
        }
    }

    #[test]
    fn one_class_has_one_place_and_a_variable_one_value() {
        let places = [placement("binlog=/a"), placement("redo=/a")];
        let free = [Variable::new("sync_binlog", "0")];
        assert!(check_placements(&places, &free).is_ok());
        let twice = [placement("redo=/a"), placement("redo=/b")];
        let error = check_placements(&twice, &[]).unwrap_err().to_string();
        assert!(error.contains("redo is placed twice"), "{error}");
        let off = [Variable::new("log-bin", "OFF")];
        let error = check_placements(&places, &off).unwrap_err().to_string();
        assert!(error.contains("log_bin is set"), "{error}");
    }

    #[test]
    fn a_directory_of_temporary_files_is_one_path_to_the_server() {
        for text in ["temporary=/a:b", "temporary=c;d", "temporary=/a:/b"] {
            let error = check_placements(&[placement(text)], &[]).unwrap_err().to_string();
            assert!(error.contains("colon") && error.contains('/'), "{error}");
        }
        for text in ["temporary=/a b", "redo=/a:b", "binlog=/a;b"] {
            assert!(check_placements(&[placement(text)], &[]).is_ok(), "{text}");
        }
    }

    #[test]
    fn every_setting_of_a_placement_is_one_that_cannot_be_set_as_well() {
        for flavor in [Flavor::MySql, Flavor::MariaDb] {
            for class in placeable() {
                for on in [PlacedOn::Directory, PlacedOn::DevNull] {
                    let directory = std::path::PathBuf::from("/dev");
                    for setting in settings(&PlacedClass { class, directory, on }, flavor) {
                        assert!(variables(class).contains(&setting.name()), "{setting}");
                        assert!(setting.value().starts_with("/dev"), "{setting}");
                    }
                }
            }
        }
    }

    #[test]
    fn logs_of_an_initialised_data_directory_move_and_nothing_else_does() {
        let files = [
            ("ib_logfile0", Some(FileClass::Redo)),
            ("#ib_16384_0.dblwr", Some(FileClass::Doublewrite)),
            ("undo_001", Some(FileClass::Undo)),
            ("undo001", Some(FileClass::Undo)),
            ("ibdata1", None),
            ("ib_buffer_pool", None),
            ("mysql.ibd", None),
            ("aria_log.00000001", None),
        ];
        for (name, class) in files {
            assert_eq!(class_of_initial(name, false), class, "{name}");
        }
        assert_eq!(class_of_initial("#innodb_redo", true), Some(FileClass::Redo));
        for name in ["mysql", "sys", "performance_schema", "#innodb_temp"] {
            assert_eq!(class_of_initial(name, true), None, "{name}");
        }
    }

    #[test]
    fn what_a_server_keeps_elsewhere_cannot_be_placed() {
        let check = |text: &str, flavor, settings: &[Variable]| {
            placement(text)
                .check_server(flavor, settings)
                .map_err(|error| error.to_string())
        };
        let undo = [Variable::new("innodb_undo_tablespaces", "3")];
        for text in ["doublewrite=/a", "undo=/a"] {
            assert!(check(text, Flavor::MySql, &[]).is_ok());
            let error = check(text, Flavor::MariaDb, &[]).unwrap_err();
            assert!(error.contains("ibdata1"), "{error}");
        }
        assert!(check("undo=/a", Flavor::MariaDb, &undo).is_ok());
        assert!(check("doublewrite=/a", Flavor::MariaDb, &undo).is_err());
        for class in placeable() {
            let place = FileLocation::Nothing;
            let checked = Placement { class, place }.check_server(Flavor::MySql, &[]);
            assert_eq!(checked.is_ok(), class.as_str().ends_with("_log"), "{class}");
        }
    }
}
