//! Texts of servers, of the kernel and of users that were damaged: they are read or refused.

use std::io::{Cursor, Write};
use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;

use logtrace_common::{ProgramFile, Variable, parse_version_output};
use logtrace_testkit::fuzz::{config, damaged, damaged_text};
use procfs::FromBufRead;
use procfs::process::{MountInfos, Status};
use proptest::prelude::*;

use crate::attached::process_memory::places;
use crate::attached::semisync_receiver::stack_pointer;
use crate::connection::parse;
use crate::facts::block_device::chosen;
use crate::facts::file_system::{FileSystemFacts, device_number};
use crate::process::error_log::{disk_is_full, error_lines, first_lines, unknown_variable};
use crate::settings::value_match::has_value;
use crate::{ImageSize, Placement, ServerChoice};

const VERSIONS: [&str; 3] = [
    "/usr/sbin/mysqld  Ver 9.7.4-2 for Linux on x86_64 ((Debian))\n",
    "mariadbd  Ver 10.11.19-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64 (Debian 12)\n",
    "/usr/sbin/mysqld  Ver 8.0.36-28 for Linux on x86_64 (Percona Server (GPL), Release 28)\n",
];

const LOGS: [&str; 2] = [
    "2026-11-21T08:24:40.1Z 0 [ERROR] [MY-000067] [Server] unknown variable 'sync-binlgo=1'.\n\
     2026-11-21T08:24:40.2Z 0 [ERROR] [MY-010119] [Server] Aborting\n",
    "2026-11-21 8:24:40 0 [ERROR] mariadbd: unknown option '--skip-thing'\n\
     2026-11-21 8:24:41 0 [ERROR] mariadbd: Disk full (/x/y.MAI); waiting\n",
];

const MOUNTS: &str = "22 28 0:21 / /proc rw,nosuid,nodev,noexec,relatime shared:12 - proc proc rw\n\
    28 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw,errors=remount-ro\n\
    35 28 0:30 /sub /mnt/my\\040disk rw,relatime master:3 - btrfs /dev/loop0 rw,ssd,subvolid=256\n";

/// The lines of `/proc/PID/status` that must be there.
const STATUS: &str = include_str!("../tests/data/status.txt");

const ADDRESSES: [&str; 4] = [
    "mysql://root@127.0.0.1:3306/test?socket=/run/a.sock&ssl-mode=REQUIRED",
    "mariadb://user%40x@[::1]/",
    "mysql://localhost",
    "mysql://a:b@host/db?password=c",
];

const SETTINGS: [&str; 5] = [
    "sync-binlog = 1",
    "sql_mode=ANSI,TRADITIONAL",
    "size=16M",
    "on=OFF",
    "path=/a/b/",
];

const VALUES: [&str; 7] = [
    "1",
    "ON",
    "16M",
    "0.5",
    "ANSI,TRADITIONAL",
    "/var/lib/x/",
    "18446744073709551615",
];

const OTHERS: [&str; 6] = [
    "redo=/mnt/fast",
    "10G",
    "512M",
    "/usr/sbin/mysqld",
    "none [mq-deadline] kyber",
    "202 0x7f 0x80 0x0 0x0 0x0 0x0 0x7ffd1 0x7f2",
];

proptest! {
    #![proptest_config(config(2000))]

    #[test]
    fn the_output_of_a_server_is_read_or_refused(text in damaged_text(VERSIONS)) {
        if let Some((_, version)) = parse_version_output(&text) {
            prop_assert!(version.bytes().all(|byte| byte == b'.' || byte.is_ascii_digit()));
        }
    }

    #[test]
    fn the_log_of_a_server_is_read(text in damaged_text(LOGS)) {
        let _ = (first_lines(&text), error_lines(&text), unknown_variable(&text), disk_is_full(&text));
    }

    #[test]
    fn mounts_are_read_or_refused(text in damaged_text([MOUNTS])) {
        if let Ok(mounts) = MountInfos::from_buf_read(Cursor::new(text.as_bytes())) {
            for mount in mounts.0 {
                let _ = device_number(&mount, |_| Some(0x700));
                let _ = FileSystemFacts::new(Path::new("/x"), mount, None, 0);
            }
        }
    }

    #[test]
    fn a_process_is_read_or_refused(status in damaged_text([STATUS])) {
        let _ = Status::from_buf_read(Cursor::new(status.as_bytes()));
    }

    #[test]
    fn an_address_is_read_or_refused(text in damaged_text(ADDRESSES)) {
        let local = |_: &str| Ok(IpAddr::V4(Ipv4Addr::LOCALHOST));
        if let Err(error) = parse(&text, |_| true, local) {
            prop_assert!(!error.to_string().is_empty());
        }
    }

    #[test]
    fn settings_are_read_or_refused(
        text in damaged_text(SETTINGS),
        wanted in damaged_text(VALUES),
        reported in damaged_text(VALUES),
    ) {
        let _ = text.parse::<Variable>();
        let _ = has_value("sync_binlog", &wanted, &reported);
        let _ = has_value("sql_mode", &wanted, &reported);
    }

    #[test]
    fn options_are_read_or_refused(text in damaged_text(OTHERS)) {
        let _ = (text.parse::<Placement>(), text.parse::<ImageSize>(), text.parse::<ServerChoice>());
        let _ = (chosen(&text), stack_pointer(&text));
    }
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn variables_of_a_program_are_found_or_not(bytes in damaged(programs()), start in any::<u64>()) {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&bytes).unwrap();
        if let Ok(program) = ProgramFile::new(file) {
            let _ = places(&program, start, &["main", "_init", "__bss_start"]);
        }
    }
}

/// A program with symbols.
fn programs() -> Vec<Vec<u8>> {
    vec![std::fs::read("/bin/true").unwrap()]
}
