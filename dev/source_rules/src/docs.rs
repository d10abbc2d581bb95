//! First words of documentation comments.

use syn::visit::Visit;

/// Documentation comment of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DocComment {
    /// Line of the item.
    pub line: usize,
    /// First line of the comment.
    pub text: String,
    /// Whether the item is a function.
    pub is_function: bool,
}

impl DocComment {
    /// Returns whether the comment of a function opens with a verb in the third person, and any other with a noun.
    ///
    /// This looks at the first word alone, so it is a rule of thumb.
    pub fn opens_well(&self) -> bool {
        let first = self
            .text
            .split(|c: char| !c.is_alphabetic() && c != '\'')
            .next()
            .unwrap_or_default();
        // A comment that opens with code, such as "`BASE.index`", names something.
        if first.is_empty() || first == "Whether" {
            return true;
        }
        let is_verb = first.ends_with('s') && !PLURALS.contains(&first);
        !NO_NOUN.contains(&first) && (!self.is_function || is_verb)
    }
}

/// Words that end with "s" and are no verbs, though functions were seen to open with them.
const PLURALS: [&str; 12] = [
    "Bytes",
    "Details",
    "Facts",
    "Lines",
    "Milliseconds",
    "Nanoseconds",
    "Names",
    "Options",
    "Rows",
    "Seconds",
    "Times",
    "Values",
];

/// Words that open a clause without a head.
const NO_NOUN: [&str; 72] = [
    "According",
    "After",
    "All",
    "Also",
    "Always",
    "And",
    "Any",
    "Anybody",
    "Anything",
    "Are",
    "As",
    "At",
    "Because",
    "Before",
    "Both",
    "But",
    "By",
    "Does",
    "Each",
    "Either",
    "Enough",
    "Every",
    "Everything",
    "For",
    "From",
    "Has",
    "Here",
    "How",
    "If",
    "In",
    "Is",
    "It",
    "Its",
    "Like",
    "Made",
    "Many",
    "Neither",
    "No",
    "Nobody",
    "None",
    "Nor",
    "Not",
    "Nothing",
    "Of",
    "On",
    "One",
    "Only",
    "Or",
    "Same",
    "So",
    "Some",
    "Such",
    "That",
    "Them",
    "Then",
    "There",
    "These",
    "They",
    "This",
    "Those",
    "Though",
    "To",
    "Too",
    "Until",
    "Was",
    "What",
    "Whatever",
    "When",
    "Where",
    "Which",
    "Who",
    "Whose",
];

/// Returns the documentation comments of a file's items, fields, variants and functions.
pub fn doc_comments(file: &syn::File) -> Vec<DocComment> {
    let mut collector = CommentCollector::default();
    collector.visit_file(file);
    collector.comments
}

#[derive(Default)]
struct CommentCollector {
    comments: Vec<DocComment>,
}

impl CommentCollector {
    fn add(&mut self, attributes: &[syn::Attribute], is_function: bool) {
        let mut lines = attributes.iter().filter_map(doc_line);
        if let Some((line, text)) = lines.find(|(_, text)| !text.is_empty()) {
            self.comments.push(DocComment {
                line,
                text,
                is_function,
            });
        }
    }
}

/// Reads one line of a documentation comment, with its number.
fn doc_line(attribute: &syn::Attribute) -> Option<(usize, String)> {
    let syn::Meta::NameValue(pair) = &attribute.meta else {
        return None;
    };
    let syn::Expr::Lit(syn::ExprLit {
        lit: syn::Lit::Str(text),
        ..
    }) = &pair.value
    else {
        return None;
    };
    let line = text.span().start().line;
    pair.path
        .is_ident("doc")
        .then(|| (line, text.value().trim().to_owned()))
}

impl<'ast> Visit<'ast> for CommentCollector {
    fn visit_file(&mut self, file: &'ast syn::File) {
        self.add(&file.attrs, false);
        syn::visit::visit_file(self, file);
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        self.add(&item.attrs, true);
        syn::visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        self.add(&item.attrs, true);
        syn::visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast syn::TraitItemFn) {
        self.add(&item.attrs, true);
        syn::visit::visit_trait_item_fn(self, item);
    }

    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        self.add(&item.attrs, false);
        syn::visit::visit_item_struct(self, item);
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.add(&item.attrs, false);
        syn::visit::visit_item_enum(self, item);
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.add(&item.attrs, false);
        syn::visit::visit_item_trait(self, item);
    }

    fn visit_item_type(&mut self, item: &'ast syn::ItemType) {
        self.add(&item.attrs, false);
    }

    fn visit_item_const(&mut self, item: &'ast syn::ItemConst) {
        self.add(&item.attrs, false);
    }

    fn visit_impl_item_const(&mut self, item: &'ast syn::ImplItemConst) {
        self.add(&item.attrs, false);
    }

    fn visit_item_static(&mut self, item: &'ast syn::ItemStatic) {
        self.add(&item.attrs, false);
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        self.add(&item.attrs, false);
        syn::visit::visit_item_mod(self, item);
    }

    fn visit_variant(&mut self, variant: &'ast syn::Variant) {
        self.add(&variant.attrs, false);
        syn::visit::visit_variant(self, variant);
    }

    fn visit_field(&mut self, field: &'ast syn::Field) {
        self.add(&field.attrs, false);
        syn::visit::visit_field(self, field);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opens_well(source: &str) -> bool {
        let comments = doc_comments(&syn::parse_str(source).unwrap());
        comments[0].opens_well()
    }

    #[test]
    fn functions_open_with_a_verb() {
        assert!(opens_well("/// Returns the rate.\nfn f() {}"));
        assert!(opens_well("struct S; impl S { /// Reads a line.\nfn f() {} }"));
        for text in [
            "The rate",
            "Of values; `None` of none",
            "Bytes of a file",
            "It is",
        ] {
            assert!(!opens_well(&format!("/// {text}\nfn f() {{}}")), "{text}");
        }
    }

    #[test]
    fn types_and_fields_open_with_a_noun() {
        assert!(opens_well(
            "struct S { /// Rate in requests per second.\nrate: f64 }"
        ));
        assert!(opens_well("/// `BASE.index`\nconst C: u8 = 1;"));
        for text in ["Those that not all have", "What draws it", "How long it is"] {
            assert!(!opens_well(&format!("/// {text}\nstruct S;")), "{text}");
        }
    }

    #[test]
    fn line_of_a_comment_is_known() {
        let comments = doc_comments(&syn::parse_str("struct A;\n\n/// Noun.\nstruct B;").unwrap());
        assert_eq!(comments[0].line, 3);
    }
}
