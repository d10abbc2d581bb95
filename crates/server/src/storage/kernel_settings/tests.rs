use tempfile::TempDir;

use super::*;

/// Makes a disk with files that take any value.
fn disk() -> (TempDir, TempDir, PathBuf) {
    let (root, base) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let queue = root.path().join("sys/block/vdx/queue");
    fs::create_dir_all(&queue).unwrap();
    fs::write(queue.join("scheduler"), "none [mq-deadline] kyber\n").unwrap();
    fs::write(queue.join("nr_requests"), "256\n").unwrap();
    (root, base, queue)
}

fn vdx() -> KernelPlace {
    KernelPlace::Queue("vdx".to_owned())
}

fn setting(name: &str, value: &str) -> KernelSetting {
    KernelSetting {
        name: name.into(),
        value: value.into(),
    }
}

fn text(path: PathBuf) -> String {
    fs::read_to_string(path).unwrap().trim().to_owned()
}

#[test]
fn what_was_set_is_put_back_by_its_owner_or_by_the_next_one() {
    let (root, base, queue) = disk();
    let wanted = [setting("scheduler", "none"), setting("nr_requests", "64")];
    let set = || KernelSettingsGuard::set_in(root.path(), base.path(), &vdx(), &wanted).unwrap();
    let values = || (text(queue.join("scheduler")), text(queue.join("nr_requests")));
    let guard = set();
    assert_eq!(values(), ("none".into(), "64".into()));
    assert!(
        sweep_settings_in(root.path(), base.path()).unwrap().is_empty(),
        "it is in use"
    );
    drop(guard);
    assert_eq!(values(), ("mq-deadline".into(), "256".into()));
    assert_eq!(fs::read_dir(base.path()).unwrap().count(), 0);

    // Killed: the lock goes, and nothing else.
    let left = |guard: KernelSettingsGuard| {
        let mut guard = std::mem::ManuallyDrop::new(guard);
        guard._lock = FileLock::acquire(tempfile::tempfile().unwrap()).unwrap().unwrap();
    };
    left(set());
    let again = set();
    let note = text(base.path().join("queue-vdx"));
    assert_eq!(note, "scheduler mq-deadline\nnr_requests 256");
    left(again);
    assert_eq!(values(), ("none".into(), "64".into()));
    let swept = sweep_settings_in(root.path(), base.path()).unwrap();
    assert!(
        swept.len() == 1 && swept[0].0 == vdx() && swept[0].1.is_ok(),
        "{swept:?}"
    );
    assert_eq!(values(), ("mq-deadline".into(), "256".into()));
    assert_eq!(fs::read_dir(base.path()).unwrap().count(), 0);
}

#[test]
fn a_parameter_that_was_0_is_restored_by_the_other_one_that_counted() {
    let (root, base) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let vm = root.path().join("proc/sys/vm");
    fs::create_dir_all(&vm).unwrap();
    fs::write(vm.join("dirty_bytes"), "0\n").unwrap();
    fs::write(vm.join("dirty_ratio"), "20\n").unwrap();
    let wanted = [setting("vm.dirty_bytes", "16777216")];
    let place = KernelPlace::Sysctl;
    let guard = KernelSettingsGuard::set_in(root.path(), base.path(), &place, &wanted).unwrap();
    assert_eq!(text(base.path().join("sysctl")), "vm.dirty_ratio 20");
    assert_eq!(text(vm.join("dirty_bytes")), "16777216");
    // As the kernel does when the other one is set.
    fs::write(vm.join("dirty_ratio"), "0\n").unwrap();
    drop(guard);
    assert_eq!(text(vm.join("dirty_ratio")), "20");
    let refused = [setting("kernel.panic", "1")];
    let set = KernelSettingsGuard::set_in(root.path(), base.path(), &place, &refused);
    let error = set.unwrap_err().to_string();
    assert!(
        error.contains("choose one of vm.dirty_background_bytes"),
        "{error}"
    );
}

#[test]
fn a_directory_without_a_disk_has_none() {
    assert_eq!(disk_under(Path::new("/proc")).unwrap(), None);
    assert!(disk_under(Path::new("/no/such/directory")).is_err());
}

#[test]
fn what_a_disk_does_not_have_is_refused_and_nothing_stays_set() {
    let (root, base, queue) = disk();
    let set = |settings: &[KernelSetting]| {
        let set = KernelSettingsGuard::set_in(root.path(), base.path(), &vdx(), settings);
        set.unwrap_err().to_string()
    };
    let error = set(&[setting("../../x", "1")]);
    assert!(error.contains("write_cache"), "{error}");
    let error = set(&[
        setting("nr_requests", "9"),
        setting("write_cache", "write through"),
    ]);
    assert!(error.contains("no write_cache"), "{error}");
    assert_eq!(text(queue.join("nr_requests")), "256");
    let guard = KernelSettingsGuard::set_in(root.path(), base.path(), &vdx(), &[]).unwrap();
    let error = set(&[]);
    assert!(error.contains("another logtrace"), "{error}");
    drop(guard);
    fs::write(base.path().join("queue-gone"), "scheduler none\n").unwrap();
    let swept = sweep_settings_in(root.path(), base.path()).unwrap();
    assert!(
        swept.iter().all(|(_, done)| done.is_ok()) && !swept.is_empty(),
        "{swept:?}"
    );
}
