//! A network of machines, as far as servers can tell: a namespace for each, and links whose frames take a known time longer.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::net::Ipv4Addr;
use std::num::NonZeroU64;
use std::os::fd::AsFd;
use std::path::Path;
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::Context;
use rustix::ioctl::{Setter, ioctl, opcode};
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

use crate::guard::Guard;
use crate::loop_disk::run;

/// Longest frame of a link, with some to spare: it has an MTU of 1,500 bytes and no offloads.
const LONGEST_FRAME: usize = 2_048;

/// Namespaces with a link each. All links meet in this process, which passes frames on: kernels without `sch_netem` have no
/// other link of a known delay. Removed when this is dropped or this process ends.
pub struct TestNetwork {
    machines: Vec<LinkedMachine>,
    /// Threads that read frames and those that write them. They end with the links.
    threads: Vec<JoinHandle<()>>,
    guard: Option<Guard>,
}

struct LinkedMachine {
    namespace: String,
    link: Arc<File>,
    /// Nanoseconds that each frame to or from it takes longer.
    delay: Arc<AtomicU64>,
}

/// Frame, and the time from which it may be written.
type DueFrame = (Vec<u8>, Instant);

impl TestNetwork {
    /// Creates a network of so many machines. Needs root.
    ///
    /// # Errors
    ///
    /// Returns an error if a namespace or a link cannot be made.
    pub fn create(machines: u8) -> anyhow::Result<Self> {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Relaxed);
        let names: Vec<String> = (0..machines)
            .map(|machine| format!("ltn{}-{number}-{machine}", process::id()))
            .collect();
        let arguments: Vec<&str> = names.iter().map(String::as_str).collect();
        let undo = r#"for name; do ip -n "$name" link delete cable; ip netns delete "$name"; done"#;
        let guard = Guard::new(undo, &arguments)?;
        let machines = names
            .into_iter()
            .zip(0..)
            .map(|(namespace, number)| LinkedMachine::create(namespace, number))
            .collect::<anyhow::Result<Vec<_>>>()?;
        let threads = connect(&machines);
        Ok(Self {
            machines,
            threads,
            guard: Some(guard),
        })
    }

    /// Moves this thread, and the processes that it starts, to a machine. Machines count from 0.
    ///
    /// # Errors
    ///
    /// Returns an error if the thread may not enter the namespace.
    pub fn enter(&self, machine: usize) -> anyhow::Result<()> {
        enter(&self.machines[machine].namespace)
    }

    /// Delays each frame to a machine, and each frame from it, from now on.
    pub fn delay(&self, machine: usize, by: Duration) {
        let nanoseconds = u64::try_from(by.as_nanos()).unwrap_or(u64::MAX);
        self.machines[machine].delay.store(nanoseconds, Relaxed);
    }
}

/// Returns the address of a machine, one of a block for documentation (RFC 5737).
pub fn address_of(machine: u8) -> Ipv4Addr {
    Ipv4Addr::new(198, 51, 100, machine + 1)
}

impl Drop for TestNetwork {
    fn drop(&mut self) {
        drop(self.guard.take());
        for thread in self.threads.drain(..) {
            // It has no result; a panic of it was printed.
            let _ = thread.join();
        }
    }
}

impl LinkedMachine {
    fn create(namespace: String, number: u8) -> anyhow::Result<Self> {
        ip(&format!("netns add {namespace}"))?;
        let link = thread::scope(|scope| scope.spawn(|| link_in(&namespace)).join())
            .map_err(|_| anyhow::anyhow!("the link's thread panicked"))??;
        ip(&format!(
            "-n {namespace} address add {}/24 dev cable",
            address_of(number)
        ))?;
        ip(&format!("-n {namespace} link set lo up"))?;
        ip(&format!("-n {namespace} link set cable up"))?;
        Ok(Self {
            namespace,
            link: Arc::new(link),
            delay: Arc::default(),
        })
    }
}

/// Argument of `TUNSETIFF`: the beginning of `struct ifreq` (include/uapi/linux/if.h), and its rest.
#[repr(C)]
struct InterfaceRequest {
    name: [u8; 16],
    flags: u16,
    rest: [u8; 22],
}

/// Makes a link in a namespace, which this thread enters: an interface whose frames are read from and written to a file.
/// Documentation/networking/tuntap.rst
fn link_in(namespace: &str) -> anyhow::Result<File> {
    const TAP_WITHOUT_HEADER: u16 = 0x0002 | 0x1000;
    const TUNSETIFF: u32 = opcode::write::<i32>(b'T', 202);
    enter(namespace)?;
    let path = "/dev/net/tun";
    let link = OpenOptions::new()
        .read(true)
        .write(true)
        .open(path)
        .context(path)?;
    let mut name = [0; 16];
    name[..5].copy_from_slice(b"cable");
    let request = InterfaceRequest {
        name,
        flags: TAP_WITHOUT_HEADER,
        rest: [0; 22],
    };
    #[expect(unsafe_code, reason = "the type of an argument of ioctl cannot be checked")]
    // SAFETY: the kernel reads and writes a `struct ifreq` of 40 bytes (drivers/net/tun.c, `__tun_chr_ioctl()`), which this is.
    unsafe {
        ioctl(&link, Setter::<TUNSETIFF, InterfaceRequest>::new(request))?;
    }
    Ok(link)
}

fn enter(namespace: &str) -> anyhow::Result<()> {
    let namespace = File::open(format!("/run/netns/{namespace}"))?;
    move_into_link_name_space(namespace.as_fd(), Some(LinkNameSpaceType::Network))?;
    Ok(())
}

/// Passes each frame on to all other machines, in its order.
fn connect(machines: &[LinkedMachine]) -> Vec<JoinHandle<()>> {
    let mut threads = Vec::new();
    for (at, from) in machines.iter().enumerate() {
        let mut ways = Vec::new();
        for to in machines.iter().enumerate().filter(|(other, _)| *other != at) {
            let (sender, receiver) = channel();
            ways.push((sender, [Arc::clone(&from.delay), Arc::clone(&to.1.delay)]));
            let link = Arc::clone(&to.1.link);
            threads.push(thread::spawn(move || write_frames(&link, &receiver)));
        }
        let link = Arc::clone(&from.link);
        threads.push(thread::spawn(move || read_frames(&link, &ways)));
    }
    threads
}

/// Reads the frames of a link until it is removed.
fn read_frames(mut link: &File, ways: &[(Sender<DueFrame>, [Arc<AtomicU64>; 2])]) {
    let mut buffer = [0; LONGEST_FRAME];
    while let Ok(length) = link.read(&mut buffer) {
        let now = Instant::now();
        for (way, delays) in ways {
            let delay: u64 = delays.iter().map(|delay| delay.load(Relaxed)).sum();
            let due = now + Duration::from_nanos(delay);
            if way.send((buffer[..length].to_vec(), due)).is_err() {
                return;
            }
        }
    }
}

/// Writes frames to a link when they are due.
fn write_frames(mut link: &File, frames: &Receiver<DueFrame>) {
    // The usual slack of 50 us would be a part of the delay that nobody asked for.
    let _ = rustix::thread::set_current_timer_slack(NonZeroU64::new(1));
    for (frame, due) in frames {
        thread::sleep(due.saturating_duration_since(Instant::now()));
        // A link that is down loses it, as a real one does.
        let _ = link.write(&frame);
    }
}

fn ip(arguments: &str) -> anyhow::Result<()> {
    let arguments: Vec<&Path> = arguments.split_whitespace().map(Path::new).collect();
    run("ip", &arguments)
}

#[test]
fn a_packet_between_two_machines_takes_the_delay_of_both_ways() {
    use std::net::UdpSocket;

    let network = TestNetwork::create(2).unwrap();
    let socket = |machine: u8| {
        let bind = || {
            network.enter(machine.into()).unwrap();
            let socket = UdpSocket::bind((address_of(machine), 7)).unwrap();
            socket.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
            socket
        };
        thread::scope(|scope| scope.spawn(bind).join()).unwrap()
    };
    let [first, second] = [0, 1].map(socket);
    let round_trip = || {
        let start = Instant::now();
        first.send_to(b"there", (address_of(1), 7)).unwrap();
        let mut buffer = [0; 9];
        let (_, from) = second.recv_from(&mut buffer).unwrap();
        second.send_to(b"and back", from).unwrap();
        let length = first.recv(&mut buffer).unwrap();
        assert_eq!(&buffer[..length], b"and back");
        start.elapsed()
    };
    // The first one asks for the other's address.
    round_trip();
    let delay = Duration::from_millis(200);
    network.delay(1, delay);
    let slow = round_trip();
    network.delay(1, Duration::ZERO);
    assert!(slow >= 2 * delay && round_trip() < slow / 2);
}
