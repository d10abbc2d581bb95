//! Control group of a systemd unit, or of a container: which processes are in it, as the system put them there.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::Context;
use procfs::ProcessCGroup;
use procfs::process::{MountInfo, Process};

use crate::facts::container::is_container;

/// Trees of control groups that are mounted.
#[derive(Debug)]
pub(crate) struct Trees(Vec<Tree>);

#[derive(Debug)]
struct Tree {
    hierarchy: Hierarchy,
    /// Group that is seen at the mount point.
    root: PathBuf,
    mounted: PathBuf,
}

/// Tree of version 2, or one of version 1 by a controller or its name (`name=systemd`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Hierarchy {
    Unified,
    Of(String),
}

/// Group of a process in one hierarchy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HierarchyGroup {
    pub(crate) hierarchy: Hierarchy,
    pub(crate) path: String,
}

impl Hierarchy {
    /// Returns whether systemd puts processes into its groups. Others make groups in those of controllers, with any names.
    fn is_of_systemd(&self) -> bool {
        match self {
            Self::Unified => true,
            Self::Of(name) => name == "name=systemd",
        }
    }
}

impl From<ProcessCGroup> for HierarchyGroup {
    fn from(group: ProcessCGroup) -> Self {
        let controller = group.controllers.into_iter().find(|name| !name.is_empty());
        Self {
            hierarchy: controller.map_or(Hierarchy::Unified, Hierarchy::Of),
            path: group.pathname,
        }
    }
}

impl Trees {
    /// Reads which trees are mounted.
    pub(crate) fn mounted() -> anyhow::Result<Self> {
        let mounts = Process::myself().and_then(|me| me.mountinfo());
        let mounts = mounts.context("cannot read which control groups are mounted (/proc/self/mountinfo)")?;
        Ok(Self(mounts.into_iter().flat_map(trees_of).collect()))
    }

    /// Returns whether a group is one with one of these names, or below one. A user can make groups with any name below those that
    /// are the user's own, so that these do not count.
    pub(crate) fn is_in(&self, group: &HierarchyGroup, names: &[String]) -> bool {
        let Some((unit, name)) = unit_in(&group.path, names) else {
            return false;
        };
        let may_count = group.hierarchy.is_of_systemd() || !is_of_unit(name);
        may_count && self.belongs_to_root(&group.hierarchy, unit)
    }

    /// Returns whether a group and all around it belong to root. What a namespace hides is not seen, and counts; a tree that is
    /// not mounted does not.
    fn belongs_to_root(&self, hierarchy: &Hierarchy, unit: &str) -> bool {
        let mut trees = self
            .0
            .iter()
            .filter(|tree| tree.hierarchy == *hierarchy)
            .peekable();
        trees.peek().is_some() && trees.all(|tree| tree.belongs_to_root(unit))
    }
}

impl Tree {
    fn belongs_to_root(&self, unit: &str) -> bool {
        let is_hidden = |path: &Path| path.components().any(|part| part.as_os_str() == "..");
        let unit = Path::new(unit);
        let Some(below) = unit.strip_prefix(&self.root).ok().filter(|_| !is_hidden(unit)) else {
            return true;
        };
        let path = self.mounted.join(below);
        let mut around = path
            .ancestors()
            .take_while(|part| part.starts_with(&self.mounted));
        around.all(|part| fs::metadata(part).is_ok_and(|found| found.uid() == 0))
    }
}

/// Returns the trees of a mount: one for each controller.
fn trees_of(mount: MountInfo) -> Vec<Tree> {
    let hierarchies: Vec<Hierarchy> = match mount.fs_type.as_str() {
        "cgroup2" => vec![Hierarchy::Unified],
        "cgroup" => {
            let options = mount.super_options.into_iter();
            let named = options.map(|(name, value)| match value {
                Some(value) => format!("{name}={value}"),
                None => name,
            });
            named.map(Hierarchy::Of).collect()
        }
        _ => Vec::new(),
    };
    let tree = |hierarchy| Tree {
        hierarchy,
        root: PathBuf::from(&mount.root),
        mounted: mount.mount_point.clone(),
    };
    hierarchies.into_iter().map(tree).collect()
}

/// Returns the part of a control group's path up to a group with one of these names, and that name. A service is in slices
/// alone (systemd.slice(5)); a group of another kind, such as a container's, is in any but another container's: what runs in a
/// container may make groups with any name. Nothing is in groups of a user.
fn unit_in<'a>(group: &'a str, names: &[String]) -> Option<(&'a str, &'a str)> {
    let (mut end, mut before) = (0, Vec::new());
    let (mut is_in_slices, mut is_in_container) = (true, false);
    for part in group.split('/') {
        end += part.len();
        if part == "user.slice" || part.starts_with("user@") {
            return None;
        }
        let is_named = !part.is_empty() && names.iter().any(|name| name == part);
        if is_named && !is_in_container && (is_in_slices || !part.ends_with(".service")) {
            return Some((&group[..end], part));
        }
        is_in_container |= is_container(&before, part);
        // From a namespace of control groups, those around it are seen as `..`.
        is_in_slices &= part.ends_with(".slice") || part.is_empty() || part == "..";
        before.push(part);
        end += 1;
    }
    None
}

/// Returns whether a name is that of a unit which systemd alone makes. Scopes are made by it for containers, and in trees of
/// controllers by their runtimes.
fn is_of_unit(name: &str) -> bool {
    name.ends_with(".service") || name.ends_with(".slice")
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::chown;

    use super::*;

    fn found<'a>(group: &'a str, name: &str) -> Option<&'a str> {
        unit_in(group, &[name.to_owned()]).map(|(unit, _)| unit)
    }

    fn group(hierarchy: &str, path: &str) -> HierarchyGroup {
        let hierarchy = Hierarchy::Of(hierarchy.to_owned());
        let path = path.to_owned();
        HierarchyGroup { hierarchy, path }
    }

    #[test]
    fn a_service_is_where_systemd_puts_it() {
        for group in [
            "/system.slice/mariadb.service",
            "/system.slice/system-mariadb.slice/mariadb.service",
            "/db.slice/db-fast.slice/mariadb.service",
            "/../../system.slice/mariadb.service",
        ] {
            assert_eq!(found(group, "mariadb.service"), Some(group));
            let below = format!("{group}/own/group");
            assert_eq!(found(&below, "mariadb.service"), Some(group));
        }
        for group in [
            "/user.slice/mariadb.service",
            "/user.slice/user-1000.slice/user@1000.service/app.slice/mariadb.service",
            "/system.slice/user@1000.service/mariadb.service",
            "/system.slice/other.service/mariadb.service",
            "/machine.slice/machine-x.scope/payload/system.slice/mariadb.service",
            "/system.slice/mariadb.service.d",
            "/",
            "",
        ] {
            assert_eq!(found(group, "mariadb.service"), None, "{group}");
        }
    }

    #[test]
    fn a_container_is_in_groups_of_any_kind_but_a_users() {
        for (group, name) in [
            ("/system.slice/docker-4f0c.scope", "docker-4f0c.scope"),
            ("/kubepods/besteffort/pod0e7b/4f0c", "4f0c"),
            ("/system.slice", "system.slice"),
        ] {
            assert_eq!(found(group, name), Some(group));
        }
        let rootless = "/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-4f0c.scope";
        assert_eq!(found(rootless, "libpod-4f0c.scope"), None);
        assert_eq!(found("//", ""), None);
    }

    #[test]
    fn a_name_is_a_whole_part_of_the_path() {
        let group = "/system.slice/system-mariadb.slice/mariadb@one.service";
        assert_eq!(found(group, "mariadb@one.service"), Some(group));
        assert_eq!(found(group, "system.slice"), Some("/system.slice"));
        for other in ["", "mariadb", "one.service", "mariadb@one.servic", "/"] {
            assert_eq!(found(group, other), None, "{other}");
        }
    }

    #[test]
    fn nothing_in_a_container_is_another_container() {
        let (outer, inner) = ("4f".repeat(32), "5e".repeat(32));
        for around in ["/docker/", "/kubepods/pod0e7b/", "/machine.slice/libpod-"] {
            let group = format!("{around}{outer}/own/{inner}");
            assert_eq!(found(&group, &inner), None, "{group}");
        }
        let scope = format!("/system.slice/docker-{outer}.scope/docker-{inner}.scope");
        assert_eq!(found(&scope, &format!("docker-{inner}.scope")), None);
        assert!(found(&scope, &format!("docker-{outer}.scope")).is_some());
    }

    #[test]
    fn a_tree_is_known_by_its_controllers_or_its_name() {
        let trees = |line| trees_of(MountInfo::from_line(line).unwrap());
        let both = trees("1 2 0:3 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct");
        let named = trees("1 2 0:3 /docker /sys/fs/cgroup/systemd rw - cgroup cgroup rw,name=systemd");
        let unified = trees("1 2 0:3 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate");
        assert!(
            both.iter()
                .any(|tree| tree.hierarchy == Hierarchy::Of("cpuacct".into()))
        );
        let systemd = named.iter().find(|tree| tree.hierarchy.is_of_systemd()).unwrap();
        assert_eq!(systemd.root, Path::new("/docker"));
        assert_eq!(unified.len(), 1);
        assert!(trees("1 2 0:3 / /proc rw - proc proc rw").is_empty());
    }

    mod needs_root {
        use super::*;

        #[test]
        fn a_group_that_was_given_to_a_user_does_not_count() {
            let mounted = tempfile::tempdir().unwrap();
            let given = mounted.path().join("a.slice");
            fs::create_dir_all(given.join("x.service")).unwrap();
            let tree = |name: &str, root: &str| Tree {
                hierarchy: Hierarchy::Of(name.to_owned()),
                root: root.into(),
                mounted: mounted.path().to_owned(),
            };
            let trees = Trees(vec![tree("name=systemd", "/"), tree("memory", "/")]);
            let part = Trees(vec![tree("name=systemd", "/part.slice")]);
            let is_in = |trees: &Trees, hierarchy: &str, path: &str, name: &str| {
                trees.is_in(&group(hierarchy, path), &[name.to_owned()])
            };
            assert!(is_in(&trees, "name=systemd", "/a.slice/x.service", "x.service"));
            assert!(
                !is_in(&trees, "memory", "/a.slice/x.service", "x.service"),
                "not systemd's"
            );
            assert!(
                !is_in(&trees, "pids", "/a.slice/x.service", "a.slice"),
                "not mounted"
            );
            assert!(!is_in(&trees, "name=systemd", "/no/such", "such"), "not there");
            assert!(is_in(
                &part,
                "name=systemd",
                "/part.slice/a.slice/x.service",
                "x.service"
            ));
            chown(&given, Some(65_534), None).unwrap();
            assert!(!is_in(&trees, "name=systemd", "/a.slice/x.service", "x.service"));
            assert!(!is_in(
                &part,
                "name=systemd",
                "/part.slice/a.slice/x.service",
                "x.service"
            ));
            // What a namespace hides has no owner here.
            assert!(is_in(
                &trees,
                "name=systemd",
                "/../a.slice/x.service",
                "x.service"
            ));
            assert!(is_in(&part, "name=systemd", "/a.slice/x.service", "x.service"));
        }
    }
}
