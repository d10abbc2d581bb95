//! Two servers behind one address, which leads first to one and then to the other.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command};

use logtrace_common::Flavor;
use logtrace_server::{Instance, parse_dsn};
use rstest::rstest;

use crate::base::{Base, ask, tell, wait_until};
use crate::companions::{attach, differing, left, started, variables};

/// Listens on a port of 127.0.0.1, and forwards each connection to the socket that a file names then. Writes the port there.
const SCRIPT: &str = r#"
    use IO::Socket::INET; use IO::Socket::UNIX; use IO::Select; $SIG{PIPE} = "IGNORE";
    my ($target, $port) = @ARGV;
    my $listener = IO::Socket::INET->new(LocalHost => "127.0.0.1", LocalPort => 0, Listen => 20) or die $!;
    open(my $out, ">", "$port.new"); print $out $listener->sockport; close $out; rename "$port.new", $port;
    my ($all, %other) = IO::Select->new($listener);
    while (my @ready = $all->can_read) {
        for my $from (@ready) {
            if ($from == $listener) {
                my $client = $listener->accept or next;
                open(my $file, "<", $target); my $path = <$file>;
                my $server = IO::Socket::UNIX->new(Peer => $path) or next;
                ($other{$client}, $other{$server}) = ($server, $client);
                $all->add($client, $server);
            } elsif (my $to = $other{$from}) {
                if (sysread($from, my $bytes, 65536)) { syswrite($to, $bytes); next }
                $all->remove($from, $to); delete @other{$from, $to}; close $from; close $to;
            }
        }
    }
"#;

/// Forwarder whose program is called mysqld, as that of a server must be; killed at the end.
struct Forwarder {
    child: Child,
    directory: PathBuf,
}

impl Forwarder {
    fn start(base: &Base, to: &Instance) -> Self {
        let directory = base.path().join("forwarder");
        fs::create_dir(&directory).unwrap();
        let program = directory.join("mysqld");
        let copied = Command::new("cp").arg("/usr/bin/perl").arg(&program).status();
        assert!(copied.unwrap().success());
        let (target, port) = (directory.join("target"), directory.join("port"));
        fs::write(&target, socket(to)).unwrap();
        let child = Command::new(program)
            .args(["-e", SCRIPT])
            .args([target, port])
            .spawn();
        Self {
            child: child.unwrap(),
            directory,
        }
    }

    /// Leads further connections to another server.
    fn lead_to(&self, to: &Instance) {
        let new = self.directory.join("new");
        fs::write(&new, socket(to)).unwrap();
        fs::rename(new, self.directory.join("target")).unwrap();
    }

    async fn port(&self) -> u16 {
        let port = self.directory.join("port");
        wait_until(|| port.exists()).await;
        fs::read_to_string(port).unwrap().parse().unwrap()
    }
}

impl Drop for Forwarder {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

fn socket(instance: &Instance) -> String {
    instance.socket().display().to_string()
}

#[rstest]
#[case(Flavor::MySql)]
#[case(Flavor::MariaDb)]
#[tokio::test]
async fn what_was_changed_on_one_is_not_set_on_the_other(#[case] flavor: Flavor) {
    let base = Base::new();
    let first = started(&base, flavor).await;
    let second = Instance::start(&base.config(flavor, &["sync_binlog=5"]), None, &|_| {})
        .await
        .unwrap();
    let forwarder = Forwarder::start(&base, &first);
    let address = format!("mysql://root@127.0.0.1:{}/", forwarder.port().await);
    let connection = parse_dsn(&address).unwrap();
    let server = attach(&base, &connection, &["sync_binlog=7"], None)
        .await
        .unwrap();
    let before = variables(&second.socket()).await;

    forwarder.lead_to(&second);
    let holder: u64 = ask(&first.socket(), "SELECT IS_USED_LOCK('logtrace')").await;
    tell(&first.socket(), &format!("KILL {holder}")).await;
    let error = server.restore().await.unwrap_err();
    let text = format!("{:#}", anyhow::Error::from(error));
    for word in ["another server", "SET GLOBAL sync_binlog = 1"] {
        assert!(text.contains(word), "no {word:?} in: {text}");
    }
    assert_eq!(
        differing(&before, &variables(&second.socket()).await),
        Vec::<String>::new()
    );
    // Nor does what undoes the note, until the first one answers again.
    let error = left(&base)[0].restore(None, None).await.unwrap_err();
    assert!(error.to_string().contains("another server"), "{error}");
    assert_eq!(
        differing(&before, &variables(&second.socket()).await),
        Vec::<String>::new()
    );
    assert_eq!(
        ask::<u32>(&first.socket(), "SELECT @@GLOBAL.sync_binlog").await,
        7
    );
    forwarder.lead_to(&first);
    left(&base)[0].restore(None, None).await.unwrap();
    assert_eq!(
        ask::<u32>(&first.socket(), "SELECT @@GLOBAL.sync_binlog").await,
        1
    );
    first.stop().await.unwrap();
    second.stop().await.unwrap();
}
