//! The kernel side: loading its programs, its maps, and ways to attach the programs.
//!
//! aya loads it. A build needs no library of the machine, and packages have no libelf, whose licence (LGPL) asks for more
//! than a text. Each program is loaded by a call of its own, so that the verifier's words about a refused one are known.
//! aya can attach many uprobes as one link since 0.15, which needs Rust 1.98: hence the pinned tool chain.
//!
//! Tried: libbpf. It says the verifier's words to a hook for messages, and stops at the first program that is refused.
//! All 8,190 instructions, relocated against the types of six kernels, are the same with both.
//!
//! aya parses the kernel's types into 20 MB of small parts, which libbpf reads in place. So that memory is given back
//! first, then the names of the kernel's functions are read, and the rings come last. The peak of a trace of MariaDB was
//! 48 MB, and 50 MB with libbpf (profile `quick`, two CPUs, three each in turn, 28 November 2026). Of it, 16 MB are the
//! rings, which are mapped twice, and 22 MB the programs' files.

pub(crate) mod attaching;
pub(crate) mod filling;
pub(crate) mod kernel_types;
pub(crate) mod object;
pub(crate) mod reasons;
pub(crate) mod uprobes;
