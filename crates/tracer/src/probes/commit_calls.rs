//! Calls that begin and end a commit, in the program of a server.
//!
//! Where link-time optimisation inlined the whole function, or left one of the calls in a function of its own, the
//! program is refused. Any other place would count other commits than the report says, and a refusal is seen at once.
//! tests/tracer/optimised.rs compiles such programs. Two other places were considered:
//!
//! - A call in a function that `ha_commit_trans()` calls. It belongs to commits only if nothing else calls that function.
//!   That cannot be proven: calls by pointer and from plugins cannot be found, and finding the direct ones takes seconds
//!   for a hundred megabytes. The kernel side would also lose the stack pointer of one function, which tells commits apart.
//! - Entry and `ret` of `MYSQL_BIN_LOG::ordered_commit()`. Only MySQL has it, and only commits that go to the binary log
//!   come there. `MYSQL_BIN_LOG::commit()` around it also runs for transactions that only read and for single statements.

use std::collections::BTreeMap;

use crate::error::TracerError;
use crate::probes::call_offsets::call_sites;
use crate::probes::program::ProbedProgram;
use crate::symbols::ProgramFunction;

/// Most places of a probe. A program can have as many symbols of one name as it likes, and each place costs the kernel time
/// and memory. MySQL 9.7 and MariaDB 10.11 have at most 3 (the ends of a commit); the clones that a compiler may make of a
/// function multiply that by a few.
pub(crate) const MOST_PLACES: usize = 64;

/// Function of both servers that commits a transaction (sql/handler.cc).
const COMMIT: &str = "ha_commit_trans(THD*";

/// Method that takes the lock of a commit (sql/mdl.h), in all its overloads.
const BEGIN: &str = "MDL_context::acquire_lock(";

/// Method that releases the lock of a commit. The overload for a ticket alone only calls the one with a duration, and
/// compilers inline it.
const END: &str = "MDL_context::release_lock(";

/// All of these functions.
pub(crate) const FUNCTIONS: [&str; 3] = [COMMIT, BEGIN, END];

/// Calls at which a commit begins and ends.
#[derive(Debug, Default)]
pub(crate) struct CommitCalls {
    /// Offsets in the program file of the calls that begin a commit.
    pub(crate) begin: Vec<u64>,
    /// Offsets of the calls that end it.
    pub(crate) end: Vec<u64>,
    /// Names of the functions with these calls: the function and its clones.
    pub(crate) functions: Vec<String>,
}

impl CommitCalls {
    /// Returns a description of the place of one of the two probes.
    pub(crate) fn place(&self, offsets: &[u64], callee: &str) -> String {
        let (count, functions) = (offsets.len(), self.functions.join(", "));
        format!("uprobe at {count} calls of {callee}...) in {functions}")
    }

    /// Returns a description of the places at which a commit begins.
    pub(crate) fn begin_place(&self) -> String {
        self.place(&self.begin, BEGIN)
    }

    /// Returns a description of the places at which a commit ends.
    pub(crate) fn end_place(&self) -> String {
        self.place(&self.end, END)
    }
}

/// Returns the calls in the server's function that commits, and in the clones that the compiler made of it. Both calls have
/// to be in each of them: the kernel side tells commits apart by the stack pointer of their function.
///
/// A call is an instruction that the kernel emulates (arch/x86/kernel/uprobes.c, `branch_setup_xol_ops`): a probe on it
/// costs about 1 us, while a single-stepped instruction costs 12 to 19 us.
pub(crate) fn commit_calls(program: &ProbedProgram) -> Result<CommitCalls, TracerError> {
    let functions = existing(program, COMMIT)?;
    let (begin, end) = (targets(program, BEGIN)?, targets(program, END)?);
    let mut calls = CommitCalls::default();
    for (name, parts) in bodies(functions) {
        let (begins, ends) = (offsets(program, &parts, &begin), offsets(program, &parts, &end));
        match (begins.is_empty(), ends.is_empty()) {
            // A clone may leave the work to another one.
            (true, true) => {}
            (false, false) => {
                calls.begin.extend(begins);
                calls.end.extend(ends);
                calls.functions.push(display(name));
            }
            (true, false) => return Err(misplaced(name, BEGIN)),
            (false, true) => return Err(misplaced(name, END)),
        }
    }
    if calls.functions.is_empty() {
        return Err(misplaced(COMMIT, BEGIN));
    }
    match calls.begin.len().max(calls.end.len()) > MOST_PLACES {
        true => Err(crowded(COMMIT)),
        false => Ok(calls),
    }
}

/// Groups parts of functions by the function whose stack they use: a cold part (`.cold`) is jumped to.
fn bodies(functions: Vec<ProgramFunction<'_>>) -> BTreeMap<&str, Vec<ProgramFunction<'_>>> {
    let mut bodies: BTreeMap<&str, Vec<_>> = BTreeMap::new();
    for function in functions {
        let name = function.name.split(".cold").next().unwrap_or(function.name);
        bodies.entry(name).or_default().push(function);
    }
    bodies
}

fn targets(program: &ProbedProgram, callee: &str) -> Result<Vec<u64>, TracerError> {
    let functions = existing(program, callee)?;
    Ok(functions.iter().map(|function| function.address).collect())
}

fn offsets(program: &ProbedProgram, parts: &[ProgramFunction<'_>], targets: &[u64]) -> Vec<u64> {
    let code = |part: &ProgramFunction<'_>| Some(call_sites(&program.code(*part)?, part.address, targets));
    let calls = parts.iter().filter_map(code).flatten();
    calls.filter_map(|address| program.file_offset(address)).collect()
}

/// Returns a name as a person knows it: with the suffix that the compiler gave to a clone.
fn display(name: &str) -> String {
    match name.split_once('.') {
        Some((_, clone)) => format!("{COMMIT}...) [clone .{clone}]"),
        None => format!("{COMMIT}...)"),
    }
}

fn misplaced(function: &str, callee: &str) -> TracerError {
    TracerError(format!(
        "{function} of the server's program makes no direct call of {callee}...): the compiler placed it elsewhere. Use \
         another build of the server, or measure without causes: logtrace run --no-trace"
    ))
}

fn crowded(function: &str) -> TracerError {
    TracerError(format!(
        "cannot place the probe at {function}...): {}. Name the process of a server, or measure without causes: logtrace \
         run --no-trace",
        too_many()
    ))
}

/// Returns the functions with this prefix of the demangled name and their clones, at least one.
fn existing<'a>(program: &'a ProbedProgram, prefix: &str) -> Result<Vec<ProgramFunction<'a>>, TracerError> {
    let functions = program.functions_and_clones(prefix);
    if functions.is_empty() {
        return Err(TracerError(format!(
            "the server's program has no symbol {prefix}: it is stripped, or of a version that logtrace does not know. \
             Use a build that exports its symbols (Debian's and the vendors' own do), or measure without causes: \
             logtrace run --no-trace"
        )));
    }
    match functions.len() > MOST_PLACES {
        true => Err(crowded(prefix)),
        false => Ok(functions),
    }
}

/// Returns why a probe has none of its places if there are too many.
pub(crate) fn too_many() -> String {
    format!("the server's program has more than {MOST_PLACES} places for it, as no known server has")
}
