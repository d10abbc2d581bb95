//! Head of a page.

use askama::Template;

use crate::render::page::policy::policy;
use crate::render::page::style::STYLE;

/// Title of a page, and everything that its policy allows.
#[derive(Clone, Copy, Debug)]
pub struct PageHead<'a> {
    /// Title.
    pub title: &'a str,
    /// Style sheets besides that of all pages.
    pub styles: &'a [&'a str],
    /// Scripts, byte for byte.
    pub scripts: &'a [&'a str],
    /// SVG drawings as `data:` addresses.
    pub drawings: &'a [&'a str],
}

#[derive(Template)]
#[template(path = "head.html")]
struct HeadTemplate<'a> {
    policy: String,
    title: &'a str,
    styles: &'a [&'a str],
}

impl PageHead<'_> {
    /// Returns the beginning of the page, up to its body.
    pub fn html(self) -> Result<String, askama::Error> {
        let styles = [&[STYLE][..], self.styles].concat();
        let head = HeadTemplate {
            policy: policy(self.scripts, &styles, self.drawings),
            title: self.title,
            styles: &styles,
        };
        head.render()
    }
}
