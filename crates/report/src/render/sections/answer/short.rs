//! Answer in three lines of a page, whatever the run found.

use logtrace_attribution::breakdown::OverTime;

use crate::document::Document;
use crate::render::sections::answer::slowest;
use crate::render::sections::answer::whole::{answer, held_up, mean, other_threads, usual};
use crate::render::sections::answer::words::largest_part;

/// Most letters of three lines in a window of 1280 pixels, with a link after them.
const MOST_LETTERS: usize = 380;

/// Answer of a page.
pub(crate) struct ShortAnswer {
    /// Sentences that are read first: who held commits up most, the mean commit and the slowest one.
    pub(crate) first: String,
    /// All of the answer, if that is more.
    pub(crate) whole: Option<String>,
}

/// Returns the answer, or its most important sentences where it has more than three lines.
pub(crate) fn short_answer(document: &Document, over_time: Option<&OverTime>) -> ShortAnswer {
    let whole = answer(document, over_time);
    if whole.chars().count() <= MOST_LETTERS {
        return ShortAnswer {
            first: whole,
            whole: None,
        };
    }
    let first = sentences(document, over_time).unwrap_or_else(|| whole.clone());
    ShortAnswer {
        first: cut(first),
        whole: Some(whole),
    }
}

/// Returns the most important sentences, or `None` without commits.
fn sentences(document: &Document, over_time: Option<&OverTime>) -> Option<String> {
    let commits = document.commits.as_ref().filter(|commits| commits.count > 0)?;
    let largest = usual(document).map(|usual| format!("{}.", largest_part(&usual, "of that is")));
    let culprit = held_up(document, over_time);
    let others = over_time.filter(|_| culprit.is_none());
    let sentences = [
        culprit,
        Some(mean(commits)),
        largest,
        Some(slowest::short_sentence(commits, over_time)),
        others.and_then(|over_time| other_threads(document, commits, over_time)),
    ];
    Some(sentences.into_iter().flatten().collect::<Vec<_>>().join(" "))
}

/// Cuts a text after a word.
fn cut(text: String) -> String {
    let Some((end, _)) = text.char_indices().nth(MOST_LETTERS) else {
        return text;
    };
    let words = text[..end]
        .rsplit_once(' ')
        .map_or(&text[..end], |(words, _)| words);
    format!("{words} ...")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_after_a_word_if_it_is_too_long() {
        let just = format!("{} {}", "a".repeat(MOST_LETTERS - 3), "bc");
        assert_eq!(cut(just.clone()), just);
        assert_eq!(
            cut(format!("{just}d")),
            format!("{} ...", "a".repeat(MOST_LETTERS - 3))
        );
        let one = "\u{e9}".repeat(MOST_LETTERS + 1);
        assert_eq!(cut(one), format!("{} ...", "\u{e9}".repeat(MOST_LETTERS)));
    }
}
