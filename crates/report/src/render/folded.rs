//! Time by stack in the format of flame graph tools, written and read back: one line for each stack,
//! `WHOLE;FRAME;... NANOSECONDS`, such as `commit;WHO;CLASS OP;WAIT;FRAME;... NANOSECONDS`.

use logtrace_attribution::breakdown::{StackTotal, StackTotals, Whole};
use logtrace_common::inert;
use thiserror::Error;

/// Frames of the largest texts that are read. The file may be a stranger's, and a frame of one byte takes some fifty in the
/// memory; real runs have some ten thousand.
const MOST_FRAMES: usize = 1 << 20;

/// Error for a text that is not folded stacks of this kind of time.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FoldedError {
    /// A line is something else.
    #[error("line {line} of the folded stacks, {text:?}, is not `{whole};FRAME;... NANOSECONDS`", whole = .whole.as_str())]
    Line {
        /// Time that the stacks should split.
        whole: Whole,
        /// Line number, from 1.
        line: usize,
        /// Start of the line.
        text: String,
    },
    /// It has too many frames.
    #[error("the folded stacks have more than {MOST_FRAMES} frames")]
    TooMany,
}

/// Returns the lines, in the order of the stacks.
pub fn render(whole: Whole, stacks: &StackTotals) -> String {
    let stacks = stacks.of(whole).iter();
    stacks.map(|stack| line(whole, stack) + "\n").collect()
}

/// Returns the line of a stack without its end.
pub(crate) fn line(whole: Whole, stack: &StackTotal) -> String {
    let mut line = whole.as_str().to_owned();
    for frame in &stack.frames {
        line.push(';');
        // A separator inside a frame would split it into two frames or two lines.
        line.extend(frame.chars().map(|c| match c {
            ';' => ':',
            c if inert::is_inert(c) => c,
            _ => ' ',
        }));
    }
    format!("{line} {}", stack.total_ns)
}

/// Reads the stacks back; empty lines are skipped.
pub fn parse(whole: Whole, text: &str) -> Result<Vec<StackTotal>, FoldedError> {
    if text.bytes().filter(|byte| b";\n".contains(byte)).count() > MOST_FRAMES {
        return Err(FoldedError::TooMany);
    }
    let lines = (1..).zip(text.lines());
    lines
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(number, text)| {
            stack(whole, text).ok_or_else(|| FoldedError::Line {
                whole,
                line: number,
                text: text.chars().take(80).collect(),
            })
        })
        .collect()
}

fn stack(whole: Whole, line: &str) -> Option<StackTotal> {
    let (frames, nanoseconds) = line.rsplit_once(' ')?;
    let mut frames = frames.split(';');
    (frames.next()? == whole.as_str()).then_some(())?;
    Some(StackTotal {
        frames: frames.map(str::to_owned).collect(),
        total_ns: nanoseconds.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written(whole: Whole, stacks: &[StackTotal]) -> String {
        let mut totals = StackTotals::default();
        *totals.of_mut(whole) = stacks.to_vec();
        render(whole, &totals)
    }

    fn whole() -> impl Strategy<Value = Whole> {
        proptest::sample::select(&Whole::ALL[..])
    }

    proptest! {
        #[test]
        fn what_was_written_reads_back(
            whole in whole(),
            stacks in proptest::collection::vec(
                (proptest::collection::vec("[a-zA-Z_/O ]{0,20}", 0..8), any::<u64>())
                    .prop_map(|(frames, total_ns)| StackTotal { frames, total_ns }),
                0..20,
            )
        ) {
            prop_assert_eq!(parse(whole, &written(whole, &stacks)), Ok(stacks));
        }

        #[test]
        fn any_frames_keep_their_number_and_time(
            whole in whole(),
            frames in proptest::collection::vec(any::<String>(), 0..8),
            total_ns: u64,
        ) {
            let given = frames.len();
            let read = parse(whole, &written(whole, &[StackTotal { frames, total_ns }])).unwrap();
            prop_assert_eq!(read.len(), 1);
            prop_assert_eq!(read[0].frames.len(), given);
            prop_assert_eq!(read[0].total_ns, total_ns);
        }

        #[test]
        fn any_text_is_read_or_refused(whole in whole(), text: String) {
            let _ = parse(whole, &text);
        }
    }

    #[test]
    fn another_program_s_stacks_are_refused_with_their_line() {
        let error = parse(Whole::Commit, "commit;own;on CPU 12\nmysqld;main 7\n").unwrap_err();
        assert_eq!(
            error.to_string(),
            "line 2 of the folded stacks, \"mysqld;main 7\", is not `commit;FRAME;... NANOSECONDS`"
        );
    }

    #[test]
    fn short_frames_without_number_are_refused() {
        for unit in ["a;", "commit;a 1\n", "\n"] {
            let text = format!("commit;{} 1\n", unit.repeat(MOST_FRAMES));
            assert_eq!(parse(Whole::Commit, &text), Err(FoldedError::TooMany), "{unit:?}");
        }
    }

    #[test]
    fn stacks_of_another_kind_are_refused() {
        let error = parse(Whole::Response, "response;lag 3\ncommit;own;on CPU 12\n").unwrap_err();
        assert!(error.to_string().contains("not `response;FRAME"), "{error}");
    }
}
