//! Text files with one entry per line.

/// Returns the lines that are not empty, with their numbers from 1, without comments (from `#` on) and outer blanks.
pub(crate) fn content_lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text
        .lines()
        .map(|line| line.split('#').next().unwrap_or_default().trim());
    lines
        .enumerate()
        .filter(|(_, line)| !line.is_empty())
        .map(|(index, line)| (index + 1, line))
}
