//! Container of a server, by the path of its control group.

use logtrace_common::process::ProcessHandle;
use serde::Serialize;

/// Control group of a process, and the container that it belongs to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ControlGroupFacts {
    /// Path of the control group: that of version 2, or of version 1 where that one names the container.
    pub path: String,
    /// Container, if the path names one.
    pub container: Option<ContainerFacts>,
}

/// Container, as whatever started it names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ContainerFacts {
    /// `docker`, `podman`, `containerd`, `cri-o`, `systemd-nspawn`, `lxc`; `unknown` if the path has only an id.
    pub runtime: &'static str,
    /// Id (64 hexadecimal digits), or the name of a container that has one instead.
    pub id: String,
}

impl ControlGroupFacts {
    /// Reads the control group of a process; `None` if it cannot be read.
    pub fn of_process(process: &ProcessHandle) -> Option<Self> {
        Self::parse(&process.text("cgroup").ok()?)
    }

    /// Takes the control group out of `/proc/PID/cgroup` (cgroups(7)): `HIERARCHY:CONTROLLERS:PATH` in each line, with
    /// hierarchy 0 for version 2. Where both versions are mounted, a container may be in a group of version 1 alone.
    pub(crate) fn parse(groups: &str) -> Option<Self> {
        let paths = || {
            groups.lines().filter_map(|line| {
                let (hierarchy, rest) = line.split_once(':')?;
                Some((hierarchy, rest.split_once(':')?.1))
            })
        };
        let unified = paths().find(|&(hierarchy, _)| hierarchy == "0");
        let mut ordered = unified.into_iter().chain(paths());
        let named = ordered.find_map(|(_, path)| Some((path, container_of(path)?)));
        let (path, container) = match named {
            Some((path, container)) => (path, Some(container)),
            None => (unified.or_else(|| paths().next())?.1, None),
        };
        Some(Self {
            path: path.to_owned(),
            container,
        })
    }
}

/// Prefixes of a group's name before the id, and the runtimes that write them with systemd's driver: `docker-ID.scope`.
const PREFIXES: [(&str, &str); 6] = [
    ("docker-", "docker"),
    ("libpod-", "podman"),
    ("cri-containerd-", "containerd"),
    ("nerdctl-", "containerd"),
    ("crio-", "cri-o"),
    ("lxc.payload.", "lxc"),
];

/// Returns the container that a path names, the innermost one.
fn container_of(path: &str) -> Option<ContainerFacts> {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    (0..parts.len())
        .rev()
        .find_map(|at| container_at(&parts[..at], parts[at]))
}

/// Returns whether a group, with those around it, is a container's.
pub(crate) fn is_container(before: &[&str], part: &str) -> bool {
    container_at(before, part).is_some()
}

fn container_at(before: &[&str], part: &str) -> Option<ContainerFacts> {
    by_prefix(part)
        .or_else(|| by_machine(before, part))
        .or_else(|| by_parent(before, part))
}

fn by_prefix(part: &str) -> Option<ContainerFacts> {
    let name = part.strip_suffix(".scope").unwrap_or(part);
    PREFIXES.iter().find_map(|&(prefix, runtime)| {
        let id = name.strip_prefix(prefix)?;
        (is_id(id) || runtime == "lxc" && !id.is_empty()).then(|| container(runtime, id))
    })
}

/// Returns the machine of systemd: `systemd-nspawn@NAME.service`, or `machine-NAME.scope` in `machine.slice`.
fn by_machine(before: &[&str], part: &str) -> Option<ContainerFacts> {
    let service = part
        .strip_prefix("systemd-nspawn@")
        .and_then(|name| name.strip_suffix(".service"));
    let scope = part
        .strip_prefix("machine-")
        .and_then(|name| name.strip_suffix(".scope"))
        .filter(|_| before.last() == Some(&"machine.slice"));
    let name = unescaped(service.or(scope)?);
    // A virtual machine of libvirt is no container.
    (!name.is_empty() && !name.starts_with("qemu-")).then(|| container("systemd-nspawn", &name))
}

/// Returns the container of a group whose name is an id alone, as without systemd's driver: the groups around it tell the
/// runtime.
fn by_parent(before: &[&str], part: &str) -> Option<ContainerFacts> {
    if before.last() == Some(&"lxc.payload") || before.last() == Some(&"lxc") {
        return Some(container("lxc", part));
    }
    is_id(part).then(|| {
        let runtime = match before {
            [.., "docker"] => "docker",
            // Which of the runtimes of Kubernetes it is, the path does not tell.
            _ => "unknown",
        };
        container(runtime, part)
    })
}

fn container(runtime: &'static str, id: &str) -> ContainerFacts {
    ContainerFacts {
        runtime,
        id: id.to_owned(),
    }
}

/// Returns the names that the group of a container with this id can have; none for what is no id.
pub(crate) fn groups_of(id: &str) -> Vec<String> {
    let prefixes = PREFIXES.iter().filter(|_| is_id(id));
    prefixes
        .map(|(prefix, _)| format!("{prefix}{id}.scope"))
        .collect()
}

/// Returns whether a text is an id as the runtimes make them: 64 hexadecimal digits.
fn is_id(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Returns a name of a unit with `\xNN` as the characters that they stand for (systemd.unit(5)).
fn unescaped(name: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = name;
    while let Some((plain, escaped)) = rest.split_once("\\x") {
        bytes.extend(plain.bytes());
        match escaped
            .get(..2)
            .map(|digits| (digits, u8::from_str_radix(digits, 16)))
        {
            Some((digits, Ok(byte))) => {
                bytes.push(byte);
                rest = &escaped[digits.len()..];
            }
            _ => {
                bytes.extend(b"\\x");
                rest = escaped;
            }
        }
    }
    bytes.extend(rest.bytes());
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "4f0c1d2e3b5a69788796a5b4c3d2e1f00f1e2d3c4b5a69788796a5b4c3d2e1f0";

    fn named(path: &str) -> Option<(&'static str, String)> {
        let path = path.replace("ID", ID);
        let found = container_of(&path)?;
        Some((found.runtime, found.id.replace(ID, "ID")))
    }

    #[test]
    fn a_container_is_told_by_each_form_of_path() {
        let pod = "kubepods-burstable-pod0e7b9a1c_3a4b_4c5d_8e9f_001122334455.slice";
        for (path, runtime, id) in [
            ("/docker/ID", "docker", "ID"),
            ("/system.slice/docker-ID.scope", "docker", "ID"),
            // As seen from a namespace of control groups.
            ("/../docker-ID.scope", "docker", "ID"),
            ("/system.slice/docker-ID.scope/init", "docker", "ID"),
            ("/machine.slice/libpod-ID.scope", "podman", "ID"),
            ("/machine.slice/libpod-ID.scope/container", "podman", "ID"),
            ("/libpod_parent/libpod-ID", "podman", "ID"),
            (
                "/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-ID.scope/container",
                "podman",
                "ID",
            ),
            (
                &format!("/kubepods.slice/kubepods-burstable.slice/{pod}/cri-containerd-ID.scope"),
                "containerd",
                "ID",
            ),
            (
                &format!("/kubepods.slice/kubepods-burstable.slice/{pod}/crio-ID.scope"),
                "cri-o",
                "ID",
            ),
            (
                "/kubepods/besteffort/pod0e7b9a1c-3a4b-4c5d-8e9f-001122334455/ID",
                "unknown",
                "ID",
            ),
            ("/system.slice/nerdctl-ID.scope", "containerd", "ID"),
            ("/ecs/0123456789abcdef0123456789abcdef/ID", "unknown", "ID"),
            (
                "/machine.slice/systemd-nspawn@db1.service/payload",
                "systemd-nspawn",
                "db1",
            ),
            (
                "/machine.slice/machine-my\\x2ddb.scope/payload/system.slice/mariadb.service",
                "systemd-nspawn",
                "my-db",
            ),
            ("/lxc.payload.db1/system.slice/mysql.service", "lxc", "db1"),
            ("/lxc/db1", "lxc", "db1"),
            // docker in a pod: the innermost one holds the server.
            (
                &format!(
                    "/kubepods.slice/{pod}/cri-containerd-{}.scope/docker/ID",
                    "a".repeat(64)
                ),
                "docker",
                "ID",
            ),
        ] {
            assert_eq!(named(path), Some((runtime, id.to_owned())), "{path}");
        }
    }

    #[test]
    fn the_groups_of_an_id_are_those_of_its_container() {
        assert_eq!(groups_of(ID).len(), PREFIXES.len());
        for group in groups_of(ID) {
            assert_eq!(container_of(&group).unwrap().id.trim_end_matches(".scope"), ID);
        }
        assert!(groups_of("db").is_empty());
    }

    #[test]
    fn what_is_no_container_is_not_taken_for_one() {
        for path in [
            "/",
            "/init.scope",
            "/system.slice/mysql.service",
            "/system.slice/docker.service",
            "/system.slice/docker-volume.scope",
            "/user.slice/user-1000.slice/session-3.scope",
            // Processes of the runtimes beside the container.
            "/machine.slice/libpod-conmon-ID.scope",
            "/kubepods.slice/crio-conmon-ID.scope",
            "/machine.slice/machine-qemu\\x2d1\\x2ddb.scope",
            "/system.slice/machine-db.scope",
            "/logtrace-instance-abc",
        ] {
            assert_eq!(named(path), None, "{path}");
        }
    }

    #[test]
    fn version_2_is_told_unless_version_1_names_the_container() {
        let parse = |text: &str| {
            let facts = ControlGroupFacts::parse(&text.replace("ID", ID))?;
            Some((facts.path.replace(ID, "ID"), facts.container.is_some()))
        };
        let path = |path: &str, is_container| Some((path.to_owned(), is_container));
        assert_eq!(parse("0::/a.slice\n"), path("/a.slice", false));
        assert_eq!(
            parse("2:cpu,cpuacct:/\n1:name=systemd:/x\n0::/y\n"),
            path("/y", false)
        );
        assert_eq!(
            parse("2:memory:/docker/ID\n1:name=systemd:/\n0::/\n"),
            path("/docker/ID", true)
        );
        assert_eq!(parse("1:cpu:/a:b\n"), path("/a:b", false));
        assert_eq!(parse(""), None);
    }

    #[test]
    fn damaged_escapes_stay() {
        for (name, expected) in [
            ("a\\x2db", "a-b"),
            ("\\x", "\\x"),
            ("a\\x2", "a\\x2"),
            ("\\xé", "\\xé"),
            ("\\xzz\\x2d", "\\xzz-"),
        ] {
            assert_eq!(unescaped(name), expected);
        }
    }

    #[test]
    fn the_group_of_this_process_is_read() {
        let own = ControlGroupFacts::of_process(&ProcessHandle::own().unwrap()).unwrap();
        assert!(own.path.starts_with('/'), "{own:?}");
    }
}
