//! Control group of a systemd unit, or of a container: which processes are in it, as the system put them there.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Places of the trees of control groups: version 2, alone and beside version 1, and systemd's tree of version 1.
const TREES: [&str; 3] = [
    "/sys/fs/cgroup",
    "/sys/fs/cgroup/unified",
    "/sys/fs/cgroup/systemd",
];

/// Returns whether a process with this control group is in a group with one of these names. A user can make groups with
/// any name below those that are the user's own, so that these do not count.
pub(crate) fn is_in(group: &str, names: &[String]) -> bool {
    unit_in(group, names).is_some_and(|unit| TREES.iter().all(|tree| belongs_to_root(Path::new(tree), unit)))
}

/// Returns the part of a control group's path up to a group with one of these names. A service is in slices alone
/// (systemd.slice(5)); a group of another kind, such as a container's, is in any. Nothing is in groups of a user.
fn unit_in<'a>(group: &'a str, names: &[String]) -> Option<&'a str> {
    let mut end = 0;
    let mut is_in_slices = true;
    for part in group.split('/') {
        end += part.len();
        if part == "user.slice" || part.starts_with("user@") {
            return None;
        }
        let is_named = !part.is_empty() && names.iter().any(|name| name == part);
        if is_named && (is_in_slices || !part.ends_with(".service")) {
            return Some(&group[..end]);
        }
        // From a namespace of control groups, those around it are seen as `..`.
        is_in_slices &= part.ends_with(".slice") || part.is_empty() || part == "..";
        end += 1;
    }
    None
}

/// Returns whether a group and all around it belong to root, as far as they can be seen.
fn belongs_to_root(tree: &Path, group: &str) -> bool {
    let is_seen = !group.split('/').any(|part| part == "..");
    let path = tree.join(group.trim_start_matches('/'));
    let mut around = path.ancestors().take_while(|part| part.starts_with(tree));
    !is_seen || around.all(|part| fs::metadata(part).map_or(true, |found| found.uid() == 0))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::chown;

    use super::*;

    fn found<'a>(group: &'a str, name: &str) -> Option<&'a str> {
        unit_in(group, &[name.to_owned()])
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
    fn a_group_that_was_given_to_a_user_does_not_count() {
        if !rustix::process::geteuid().is_root() {
            return;
        }
        let tree = tempfile::tempdir().unwrap();
        let given = tree.path().join("a.slice");
        fs::create_dir_all(given.join("x.service")).unwrap();
        assert!(belongs_to_root(tree.path(), "/a.slice/x.service"));
        assert!(belongs_to_root(tree.path(), "/no/such"));
        chown(&given, Some(65_534), None).unwrap();
        assert!(!belongs_to_root(tree.path(), "/a.slice/x.service"));
        assert!(belongs_to_root(tree.path(), "/../a.slice/x.service"));
    }
}
