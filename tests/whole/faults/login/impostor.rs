//! Processes that pose as a server: they get no byte of a login.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};

use super::listening::PASSWORD;
use crate::common::patiently;
use crate::faults::fixture::home::{Home, SHORT};
use crate::faults::fixture::started::{Ended, Started};
use logtrace_laboratory::foreign::free_port;

/// The user `nobody` of any system.
const NOBODY: u32 = 65534;

/// Greets each client as MySQL does, asks for the whole password, and writes down every byte that comes.
const SCRIPT: &str = r#"
    use IO::Socket; use IO::Socket::IP; $SIG{PIPE} = "IGNORE";
    my ($at, $got) = @ARGV;
    my ($host, $port) = $at =~ /^(?:\[(.*)\]:)?(\d+)$/;
    my @at = $port ? (LocalHost => $host // "127.0.0.1", LocalPort => $port, ReuseAddr => 1, V6Only => 1) : (Local => $at);
    my $class = $port ? "IO::Socket::IP" : "IO::Socket::UNIX";
    my $listener = $class->new(@at, Listen => 5) or die $@ || $!;
    umask 0; open(my $log, ">", $got) or die $!; chmod 0666, $at unless $port;
    open(my $met, ">", "$got.met") or die $!;
    $_->autoflush(1) for $log, $met;
    my $salt = "12345678";
    my $greeting = "\x0a9.7.4\0" . pack("V", 7) . $salt . "\0" . pack("v", 0xf7ff) . "\x2d" . pack("v", 2)
        . pack("v", 0xdfff) . "\x15" . ("\0" x 10) . "123456789012\0" . "caching_sha2_password\0";
    while (my $client = $listener->accept) {
        print $met ".";
        print $client substr(pack("V", length $greeting), 0, 3) . "\0" . $greeting;
        $client->flush;
        my $asked = 0;
        while (sysread($client, my $bytes, 4096)) {
            print $log $bytes;
            syswrite($client, "\x02\0\0\x02\x01\x04") unless $asked++;
            syswrite($client, "\x07\0\0\x04\x01no key") if $bytes eq "\x01\0\0\x03\x02";
        }
    }
"#;

/// An impostor that runs as `nobody`; killed at the end.
pub(super) struct Impostor {
    child: Child,
    got: PathBuf,
}

impl Impostor {
    /// Starts one at a socket, a port of 127.0.0.1, or `[address]:port`. Its program is called mysqld.
    pub(super) fn start(home: &Home, at: &str) -> Self {
        let open = home.path().join("open");
        fs::create_dir(&open).unwrap();
        fs::set_permissions(&open, Permissions::from_mode(0o1777)).unwrap();
        let program = open.join("mysqld");
        // By another process: see `as_nobody`.
        assert!(
            Command::new("cp")
                .arg("/usr/bin/perl")
                .arg(&program)
                .status()
                .unwrap()
                .success()
        );
        let got = open.join("got");
        let child = Command::new(program)
            .args(["-e", SCRIPT, at])
            .arg(&got)
            .uid(NOBODY)
            .gid(NOBODY)
            .spawn()
            .unwrap();
        let impostor = Self { child, got };
        // The one that it opens last.
        patiently("the impostor", || impostor.got.with_extension("met").exists());
        impostor
    }

    /// How many clients it greeted.
    pub(super) fn met(&self) -> usize {
        fs::read(self.got.with_extension("met")).unwrap().len()
    }

    pub(super) fn assert_got_nothing(&self) {
        assert_eq!(fs::read(&self.got).unwrap().len(), 0);
    }
}

impl Drop for Impostor {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// Runs a command with a password.
pub(super) fn with_password(home: &Home, arguments: &str) -> Ended {
    let mut command = home.logtrace(arguments);
    command.env("LOGTRACE_PASSWORD", PASSWORD);
    Started::new(command, home.path()).ended()
}

#[test]
fn it_gets_nothing_at_a_socket_where_everybody_may_make_one() {
    let home = Home::new();
    let socket = home.path().join("open/mysql.sock").display().to_string();
    let impostor = Impostor::start(&home, &socket);
    for arguments in [
        format!("run --no-trace --server mysql://root@localhost/?socket={socket} {SHORT}"),
        format!("trace --duration 1s mysql://root@localhost/?socket={socket}"),
        format!("trace --duration 1s --socket {socket}"),
    ] {
        let program = Path::new(&socket).with_file_name("mysqld").display().to_string();
        with_password(&home, &arguments).refused(
            1,
            &[
                &program,
                "user nobody",
                "can be written by everybody",
                "server-user=nobody",
            ],
        );
    }
    impostor.assert_got_nothing();
    // It would take what comes.
    let trusted =
        format!("run --no-trace --server mysql://root@localhost/?socket={socket}&server-user=nobody {SHORT}");
    assert_eq!(with_password(&home, &trusted).code, Some(1));
    assert!(!fs::read(&impostor.got).unwrap().is_empty());
}

#[test]
fn it_gets_nothing_at_a_port_while_the_server_is_down() {
    let home = Home::new();
    let port = free_port().to_string();
    let impostor = Impostor::start(&home, &port);
    for host in ["127.0.0.1", "localhost"] {
        let run = format!("run --no-trace --server mysql://root@{host}:{port}/ {SHORT}");
        with_password(&home, &run).refused(1, &["user nobody", "any user can listen", "Nothing was sent"]);
    }
    impostor.assert_got_nothing();
    // Even where it is trusted by mistake, the password is neither sent nor encrypted with a key of its own.
    let trusted =
        format!("run --no-trace --server mysql://root@127.0.0.1:{port}/?server-user=nobody {SHORT}");
    with_password(&home, &trusted).refused(1, &["asks for the whole password"]);
    let got = fs::read(&impostor.got).unwrap();
    assert!(
        !got.is_empty() && !got.windows(6).any(|bytes| bytes == b"geheim"),
        "{got:?}"
    );
    assert!(!got.ends_with(&[1, 0, 0, 3, 2]), "no key was asked for: {got:?}");
}

#[test]
fn a_public_key_that_is_none_ends_in_an_error() {
    let home = Home::new();
    let port = free_port().to_string();
    let impostor = Impostor::start(&home, &port);
    let trusted = format!(
        "run --no-trace --server mysql://root@127.0.0.1:{port}/?server-user=nobody&get-server-public-key=true {SHORT}"
    );
    with_password(&home, &trusted).refused(
        1,
        &["127.0.0.1", "cannot read", "Is it a MySQL or MariaDB server"],
    );
    // Its command line names the home directory.
    drop(impostor);
    home.assert_untouched();
}
