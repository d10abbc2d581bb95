//! An error as one text.

/// The error and its causes. Many errors of libraries give their cause in their own text: it is not told twice.
pub(crate) fn told(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if text.is_empty() {
            text = cause;
        } else if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;

    use super::*;

    #[test]
    fn a_cause_is_told_once() {
        let cause = || anyhow!("disk full");
        assert_eq!(told(&cause().context("cannot write")), "cannot write: disk full");
        assert_eq!(
            told(&cause().context("cannot write: disk full. Free some")),
            "cannot write: disk full. Free some"
        );
    }
}
