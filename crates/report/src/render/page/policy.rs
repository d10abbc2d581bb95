//! Content security policy of a page: no request to anybody, and no script and style sheet but its own.

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use sha2::{Digest, Sha256};

/// Handler in the drawings of inferno.
const DRAWING_STARTS: &str = "init(evt)";

/// Returns the policy of a page with these scripts and style sheets, byte for byte, and with these SVG drawings as `data:`
/// addresses. A browser applies the policy of a page to such drawings too. Style attributes are allowed: they have the widths
/// and colours of bars.
pub(super) fn policy(scripts: &[&str], styles: &[&str], drawings: &[&str]) -> String {
    let mut script_hashes: Vec<String> = scripts.iter().map(|script| hash(script)).collect();
    let mut style_hashes: Vec<String> = styles.iter().map(|style| hash(style)).collect();
    for drawing in drawings {
        script_hashes.extend(elements(drawing, "script").map(|script| hash(&script)));
        style_hashes.extend(elements(drawing, "style").map(|style| hash(&style)));
    }
    if !drawings.is_empty() {
        script_hashes.extend(["'unsafe-hashes'".to_owned(), hash(DRAWING_STARTS)]);
    }
    let mut policy = "default-src 'none'".to_owned();
    for (directive, mut sources) in [("script-src", script_hashes), ("style-src-elem", style_hashes)] {
        sources.sort_unstable();
        sources.dedup();
        if !sources.is_empty() {
            policy += &format!("; {directive} {}", sources.join(" "));
        }
    }
    policy + "; style-src-attr 'unsafe-inline'; img-src data:; object-src data:; frame-src data:"
}

/// Returns the source of a policy that allows this text.
fn hash(text: &str) -> String {
    format!("'sha256-{}'", BASE64.encode(Sha256::digest(text)))
}

/// Returns the texts of the elements with this name in an SVG drawing.
fn elements<'a>(drawing: &'a str, name: &str) -> impl Iterator<Item = String> + use<'a> {
    let (begin, end) = (format!("<{name}"), format!("</{name}>"));
    let mut rest = drawing;
    std::iter::from_fn(move || {
        let (_, after) = rest.split_once(&begin)?;
        let (_, after) = after.split_once('>')?;
        let (text, after) = after.split_once(&end)?;
        rest = after;
        Some(text.replace("<![CDATA[", "").replace("]]>", ""))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_given_texts_are_allowed() {
        let drawing =
            "<svg><style type=\"text/css\">a</style><script type=\"x\"><![CDATA[b]]></script></svg>";
        let allowed = policy(&["f()"], &["p {}"], &[drawing]);
        for text in ["f()", "p {}", "a", "b", DRAWING_STARTS] {
            assert!(allowed.contains(&hash(text)), "{text}: {allowed}");
        }
        assert!(!allowed.contains(&hash("g()")));
        // From the RFC's test vector: SHA-256 of "abc".
        assert_eq!(
            hash("abc"),
            "'sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0='"
        );
    }

    #[test]
    fn a_page_without_scripts_allows_none() {
        let allowed = policy(&[], &["p {}"], &[]);
        assert!(
            allowed.starts_with("default-src 'none'; style-src-elem 'sha256-"),
            "{allowed}"
        );
        assert!(!allowed.contains("script-src"));
    }
}
