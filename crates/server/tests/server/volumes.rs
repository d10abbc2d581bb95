//! File systems with options, for a server or for a class of its files.

use std::fs;
use std::path::Path;

use logtrace_common::{FileClass, Flavor};
use logtrace_server::{
    FileLocation, HostFacts, ImageConfig, ImageKind, Instance, InstanceConfig, PlacedOn, Placement,
    ServerError,
};
use rstest::rstest;

use crate::base::{Base, all, ask, tell, wait_until};

fn image(kind: ImageKind, make: &str, mount: &str) -> ImageConfig {
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect();
    ImageConfig {
        make_options: words(make),
        mount_options: words(mount),
        ..ImageConfig::new(kind, "1G".parse().unwrap())
    }
}

/// Mounts and loop devices that have to do with the directory.
fn left(directory: &Path) -> Vec<String> {
    let directory = directory.to_string_lossy();
    let mounts = fs::read_to_string("/proc/thread-self/mounts").unwrap();
    let mounts = mounts
        .lines()
        .filter(|line| line.contains(&*directory))
        .map(str::to_owned);
    let loops = fs::read_dir("/sys/block").unwrap().filter_map(|entry| {
        let file = fs::read_to_string(entry.unwrap().path().join("loop/backing_file")).ok()?;
        file.starts_with(&*directory).then_some(file)
    });
    mounts.chain(loops).collect()
}

#[rstest]
#[case(Flavor::MySql)]
#[case(Flavor::MariaDb)]
#[tokio::test]
async fn classes_of_files_have_file_systems_of_their_own(#[case] flavor: Flavor) {
    let base = Base::new();
    let mut config = base.config(
        flavor,
        &["slow_query_log=ON", "long_query_time=0", "log_output=FILE"],
    );
    config.storage.image = Some(image(ImageKind::Btrfs, "-m single", "nodatacow noatime"));
    let redo = image(ImageKind::Ext4, "-O ^resize_inode", "noatime data=writeback");
    let binlog = image(ImageKind::Xfs, "", "logbsize=64k");
    let size = redo.size;
    config.storage.placements = [
        (FileClass::Redo, FileLocation::Volume(redo)),
        (FileClass::Binlog, FileLocation::Volume(binlog)),
        (FileClass::Temporary, FileLocation::Tmpfs(size)),
        (FileClass::SlowLog, FileLocation::Nothing),
    ]
    .map(|(class, place)| Placement { class, place })
    .to_vec();
    // One after another in one process, as a study has them.
    for _ in 0..2 {
        let server = Instance::start(&config, None, &|_| {}).await.unwrap();
        tell(&server.socket(), "CREATE DATABASE mine").await;
        tell(&server.socket(), "CREATE TABLE mine.t (id INT PRIMARY KEY)").await;
        tell(&server.socket(), "INSERT INTO mine.t VALUES (1), (2)").await;
        assert_eq!(
            ask::<u32>(&server.socket(), "SELECT COUNT(*) FROM mine.t").await,
            2
        );
        let host = HostFacts::collect(&[&server.data_directory()], server.placed()).unwrap();
        let has = |facts: &logtrace_server::FileSystemFacts, option: &str| {
            assert!(
                facts.options.iter().any(|known| known == option),
                "{:?}",
                facts.options
            );
        };
        has(&host.file_systems[0], "nodatacow");
        has(&host.file_systems[0], "noatime");
        let placed = |class| host.placed.iter().find(|placed| placed.class == class).unwrap();
        let redo = placed(FileClass::Redo);
        assert_eq!(
            (redo.on, redo.file_system.kind.as_str()),
            (PlacedOn::Volume, "ext4")
        );
        has(&redo.file_system, "data=writeback");
        has(&placed(FileClass::Binlog).file_system, "logbsize=64k");
        assert_eq!(placed(FileClass::Binlog).file_system.kind, "xfs");
        assert_eq!(placed(FileClass::Temporary).file_system.kind, "tmpfs");
        let files: Vec<(String, Vec<u8>)> = all(
            &server.socket(),
            "SHOW GLOBAL VARIABLES LIKE 'slow_query_log_file'",
        )
        .await;
        let path = String::from_utf8(files[0].1.clone()).unwrap();
        if flavor == Flavor::MySql {
            assert_eq!(placed(FileClass::SlowLog).on, PlacedOn::EmptiedFile);
            assert!(path.ends_with("/slow.log"), "{path}");
            wait_until(|| server.discarded()[0].1 > 500).await;
        } else {
            assert_eq!(placed(FileClass::SlowLog).on, PlacedOn::DevNull);
            assert_eq!((path.as_str(), server.discarded()), ("/dev/null", vec![]));
        }
        assert_eq!(left(base.path()).len(), 7, "{:#?}", left(base.path()));
        server.stop().await.unwrap();
        wait_until(|| left(base.path()).is_empty()).await;
        assert_eq!((base.left().len(), base.processes()), (0, vec![]));
    }
}

#[rstest]
#[case(ImageKind::Xfs, "", "nobarrier", "nobarrier")]
#[case(ImageKind::Ext4, "", "data=nonsense", "data=nonsense")]
#[case(ImageKind::Ext4, "-O ^has_journal", "data=journal", "ournal")]
#[case(ImageKind::Btrfs, "", "compress=nonsense", "compress")]
#[case(ImageKind::Ext4, "-O no_such_feature", "", "no_such_feature")]
#[tokio::test]
async fn options_that_cannot_be_had_are_told_with_the_systems_words(
    #[case] kind: ImageKind,
    #[case] make: &str,
    #[case] mount: &str,
    #[case] word: &str,
) {
    let base = Base::new();
    let mut config: InstanceConfig = base.config(Flavor::MariaDb, &[]);
    config.storage.image = Some(image(kind, make, mount));
    let error = Instance::start(&config, None, &|_| {}).await.unwrap_err();
    assert!(
        matches!(error, ServerError::Make(_) | ServerError::Mount { .. }),
        "{error}"
    );
    let text = error.to_string();
    assert!(text.contains(word), "{text}");
    assert_eq!(mount.is_empty(), !text.contains("the kernel: "), "{text}");
    wait_until(|| left(base.path()).is_empty()).await;
    assert_eq!(base.left().len(), 0);
}

#[tokio::test]
async fn all_images_together_have_to_fit() {
    let base = Base::new();
    let mut config = base.config(Flavor::MariaDb, &[]);
    let free = logtrace_server::FileSystemFacts::of(base.path())
        .unwrap()
        .free_bytes;
    let half = ImageConfig {
        size: format!("{}", free / 3 * 2).parse().unwrap(),
        ..image(ImageKind::Ext4, "", "")
    };
    config.storage.image = Some(half.clone());
    config.storage.placements = vec![Placement {
        class: FileClass::Redo,
        place: FileLocation::Volume(half),
    }];
    let error = Instance::start(&config, None, &|_| {})
        .await
        .unwrap_err()
        .to_string();
    assert!(error.contains("MiB free"), "{error}");
}
