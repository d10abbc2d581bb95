//! Words for causes within a sentence.

use logtrace_attribution::cause::Cause;

use crate::document::Document;
use crate::render::sections::answer::rotation::is_rotation;
use crate::render::sections::tree::Largest;

/// Part of a time from which a second cause, or the thread that commits waited for, is named, too: a quarter.
pub(super) const LEAST_SHARE: u64 = 4;

/// Meaning of a rotation, within a sentence.
pub(super) const ROTATED: &str = "the binary log rotated, and all of it had to reach the device";

/// Returns the words about the largest branch of a tree and the largest part in it, with the words between share and branch. The
/// shares are those of the tree.
pub(super) fn largest_part(of: &Largest, is: &str) -> String {
    let Largest {
        branch,
        branch_percent,
        leaf,
        percent,
        ..
    } = of;
    match (of.is_all, of.is_most) {
        (true, _) => format!("{branch_percent} % {is} {}", of.cause.words()),
        (false, true) => format!("{branch_percent} % {is} {branch}, most of it {leaf} ({percent} %)"),
        (false, false) => {
            format!("{branch_percent} % {is} {branch}, the largest part of it {leaf} ({percent} %)")
        }
    }
}

/// Returns what a cause means, within a sentence. `times` are those of which it is the largest.
pub(super) fn meaning(document: &Document, cause: Cause, times: &[(Cause, u64)]) -> String {
    match is_rotation(document, cause, times) {
        true => ROTATED.to_owned(),
        false => within_a_sentence(cause.wait.meaning()),
    }
}

/// Returns a sentence that begins with a small letter, unless it begins with a name.
fn within_a_sentence(text: &str) -> String {
    let first = text.split(' ').next().unwrap_or_default();
    let is_name = first.chars().skip(1).any(char::is_uppercase) || text.starts_with("Group Replication");
    match text.chars().next().filter(|_| !is_name) {
        Some(first) => first.to_lowercase().chain(text.chars().skip(1)).collect(),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use logtrace_attribution::cause::Wait;
    use logtrace_common::Flavor;
    use strum::IntoEnumIterator;

    use super::*;
    use crate::document::Server;

    fn document(sync_binlog: &str) -> Document {
        let server = Server::sample(Flavor::MySql, &[("sync_binlog", sync_binlog)]);
        Document::new(String::new(), server)
    }

    #[test]
    fn each_meaning_fits_into_a_sentence() {
        let document = document("1");
        let meaning = |wait| meaning(&document, Cause::own(wait), &[]);
        for text in Wait::iter().map(meaning).chain([ROTATED.to_owned()]) {
            assert!(!text.contains(';') && !text.ends_with('.'), "{text}");
        }
        assert!(meaning(Wait::OnCpu).ends_with("code was running"));
        assert_eq!(within_a_sentence("The NFS server"), "the NFS server");
        for name in ["MySQL waited", "InnoDB's log threads", "Group Replication slowed"] {
            assert_eq!(within_a_sentence(name), name);
        }
    }
}
