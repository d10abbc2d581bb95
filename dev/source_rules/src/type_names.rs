//! Names of types: one name stands for one type.

use syn::visit::Visit;

/// Names that several modules may use, and why.
pub const SHARED_NAMES: [(&str, &str); 8] = [
    (
        "Arguments",
        "each program of the developers has its own command line",
    ),
    (
        "Statement",
        "what a workload sends, and what was seen of it in the server",
    ),
    // Types of the run document have the names of run.json and its schema.
    ("Capacity", "what is measured, and how run.json tells it"),
    ("CpuPlacement", "what is set, and how run.json tells it"),
    ("Probe", "what is attached, and how run.json tells it"),
    ("Server", "what is measured, and how run.json tells it"),
    ("Tracer", "what traces, and how run.json tells it"),
    ("Tracing", "what traces, and how run.json tells it"),
];

/// Files whose types have the names of those of another file on purpose.
pub const MIRRORS: [(&str, &str); 1] = [
    // The bytes of each record, always named with their module.
    ("crates/events/src/wire.rs", "crates/events/src/record.rs"),
];

/// Returns the names of the types and traits that a file defines.
pub fn type_names(file: &syn::File) -> Vec<String> {
    let mut names = Names::default();
    names.visit_file(file);
    names.0
}

#[derive(Default)]
struct Names(Vec<String>);

impl<'ast> Visit<'ast> for Names {
    fn visit_item_struct(&mut self, item: &'ast syn::ItemStruct) {
        self.0.push(item.ident.to_string());
    }

    fn visit_item_enum(&mut self, item: &'ast syn::ItemEnum) {
        self.0.push(item.ident.to_string());
    }

    fn visit_item_trait(&mut self, item: &'ast syn::ItemTrait) {
        self.0.push(item.ident.to_string());
        syn::visit::visit_item_trait(self, item);
    }

    fn visit_item_type(&mut self, item: &'ast syn::ItemType) {
        self.0.push(item.ident.to_string());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_found_in_modules_and_functions_and_those_of_traits_are_not() {
        let source = "struct A; mod m { pub(crate) enum B {} } trait C { type X; } type D = A;
            impl C for A { type X = u8; } fn f() { struct E; }";
        assert_eq!(
            type_names(&syn::parse_file(source).unwrap()),
            ["A", "B", "C", "D", "E"]
        );
    }
}
