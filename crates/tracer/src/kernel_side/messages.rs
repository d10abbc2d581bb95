//! Messages of libbpf: what it writes about an error, besides the error's number.

use std::cell::RefCell;
use std::sync::Once;

use libbpf_rs::{PrintLevel, set_print};

thread_local! {
    /// Warnings since the last call of [`heard`] on this thread.
    static WARNINGS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// Runs `work` and returns its result and libbpf's warnings meanwhile. None of them is printed.
pub(crate) fn heard<T>(work: impl FnOnce() -> T) -> (T, Vec<String>) {
    listen();
    WARNINGS.take();
    let result = work();
    (result, WARNINGS.take())
}

/// Keeps libbpf from writing to stderr.
pub(crate) fn listen() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        set_print(Some((PrintLevel::Warn, note)));
    });
}

fn note(_: PrintLevel, message: String) {
    WARNINGS.with_borrow_mut(|warnings| warnings.push(message));
}

/// Returns the program that a warning is about.
pub(crate) fn program_of(warning: &str) -> Option<&str> {
    warning
        .split_once("prog '")?
        .1
        .split_once('\'')
        .map(|(name, _)| name)
}

/// Returns what warnings say, in one line: of the verifier's log the last lines alone, which have the reason.
pub(crate) fn in_one_line(warnings: &[String]) -> String {
    let lines: Vec<String> = warnings.iter().filter_map(|warning| line(warning)).collect();
    lines.join("; ")
}

/// Lines at the end of the verifier's log that say why it refuses a program.
const REASON_LINES: usize = 2;

fn line(warning: &str) -> Option<String> {
    let text = warning.trim().trim_start_matches("libbpf: ");
    let Some((_, log)) = text.split_once("-- BEGIN PROG LOAD LOG --") else {
        return (!text.is_empty()).then(|| text.to_owned());
    };
    let is_reason =
        |line: &&str| !line.is_empty() && !line.starts_with("--") && !line.starts_with("processed ");
    let mut reason: Vec<&str> = log
        .lines()
        .rev()
        .map(str::trim)
        .filter(is_reason)
        .take(REASON_LINES)
        .collect();
    reason.reverse();
    Some(reason.join(": "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_names_its_program() {
        assert_eq!(
            program_of("libbpf: prog 'on_switch': failed to load: -22\n"),
            Some("on_switch")
        );
        assert_eq!(program_of("libbpf: failed to load object ''"), None);
    }

    #[test]
    fn the_verifiers_log_is_told_by_its_end() {
        let log = "libbpf: prog 'on_switch': -- BEGIN PROG LOAD LOG --\n0: R1=ctx()\n1: (79) r2 = *(u64 *)(r1 +24)\n\
                   func 'sched_switch' doesn't have 4-th argument\nprocessed 2 insns (limit 1000000)\n-- END PROG LOAD LOG --\n";
        let told = in_one_line(&[
            "libbpf: prog 'on_switch': refused: -13\n".to_owned(),
            log.to_owned(),
        ]);
        assert_eq!(
            told,
            "prog 'on_switch': refused: -13; 1: (79) r2 = *(u64 *)(r1 +24): func 'sched_switch' doesn't have 4-th \
             argument"
        );
    }
}
