//! Probe: a program of the kernel side and where it runs.

use logtrace_common::Detail;

/// Probe: a program of the kernel side and the place where it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probe {
    /// Name, unique in the table.
    pub name: &'static str,
    /// C function of the program.
    pub program: &'static str,
    /// Place.
    pub attach: Attach,
    /// Lowest level of detail with this probe.
    pub detail: Detail,
    /// Consequence of its absence, or `None` for a required probe.
    pub optional: Option<&'static str>,
    /// Servers that have it.
    pub servers: Servers,
    /// Kernels that it is for.
    pub kernels: Kernels,
    /// Treatment if only bursts are traced.
    pub in_bursts: InBursts,
}

/// Treatment of a probe if only bursts are traced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InBursts {
    /// Attached for each burst.
    Attached,
    /// Attached all the time: its event is rare, and costs nothing until then.
    Stays,
    /// Replaced by another probe that is attached and detached faster. It is also replaced where tracefs cannot be read,
    /// without which it has no place.
    Replaced,
    /// The replacement of others.
    Replacement,
}

/// Servers that a probe is for. Other servers lack the event, and miss nothing without the probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Servers {
    /// Servers of any kind.
    Any,
    /// Servers with this function, given as a prefix of its demangled name.
    With(&'static str),
    /// Servers with this function and a pool of threads.
    WithPool(&'static str),
}

/// Kernels that a probe is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kernels {
    /// Kernels of any version.
    All,
    /// Kernels with this tracepoint.
    With(&'static str),
    /// Kernels without this tracepoint.
    Without(&'static str),
}

/// Place of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attach {
    /// Tracepoint of the kernel with typed arguments.
    BtfTracepoint(&'static str),
    /// Entry or exit tracepoint of a system call.
    Syscall(&'static str),
    /// Calls at which the server's commits begin.
    CommitBegin,
    /// Calls at which the server's commits end.
    CommitEnd,
    /// Clock of each CPU, so many times a second.
    CpuClock(u64),
    /// Entry of a function in the server. Prefixes of the demangled names in different servers, so that an additional
    /// parameter in another version does no harm.
    Function(&'static [&'static str]),
    /// Instructions with which a function in the server ends; names as above. A return probe of the kernel would change
    /// the return address on the server's stack, which has crashed programs that read their own stack.
    End(&'static [&'static str]),
}

impl Probe {
    /// Returns the functions of a server that decide whether and where the probe is placed; prefixes of their demangled
    /// names. Those of the commit are apart.
    pub(crate) fn functions(&self) -> impl Iterator<Item = &'static str> {
        let places: &[&str] = match self.attach {
            Attach::Function(names) | Attach::End(names) => names,
            _ => &[],
        };
        let server = match self.servers {
            Servers::Any => None,
            Servers::With(function) | Servers::WithPool(function) => Some(function),
        };
        places.iter().copied().chain(server)
    }
}
