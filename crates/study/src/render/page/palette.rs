//! Colours and shapes of the columns of a table.

/// Colours that people with any colour vision can tell apart (Okabe and Ito, Color Universal Design, 2008), for light and for
/// dark paper.
const COLORS: [(&str, &str); 7] = [
    ("#0072b2", "#56b4e9"),
    ("#d55e00", "#e69f00"),
    ("#009e73", "#2fc79b"),
    ("#aa4f86", "#cc79a7"),
    ("#8a6d00", "#f0e442"),
    ("#3a3a3a", "#d0d0d0"),
    ("#7a4fd0", "#b9a0f0"),
];

/// Shapes as paths around the origin.
const SHAPES: [&str; 5] = [
    "M-4,0a4,4 0 1,0 8,0a4,4 0 1,0 -8,0",
    "M-3.6,-3.6h7.2v7.2h-7.2z",
    "M0,-4.6l4.4,7.8h-8.8z",
    "M0,-4.8l4.8,4.8l-4.8,4.8l-4.8,-4.8z",
    "M0,4.6l4.4,-7.8h-8.8z",
];

/// Look of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ColumnLook {
    pub(super) name: String,
    /// Number of the class of the style.
    pub(super) class: usize,
    pub(super) shape: &'static str,
}

/// Returns the look of the column with this number.
pub(super) fn series(at: usize, name: &str) -> ColumnLook {
    ColumnLook {
        name: name.to_owned(),
        class: at % COLORS.len(),
        shape: SHAPES[at % SHAPES.len()],
    }
}

/// Returns the style of all columns, for light and for dark paper.
pub(super) fn style() -> String {
    let rules = |dark: bool| {
        let rules = COLORS.iter().enumerate().map(move |(at, (light, on_dark))| {
            let color = if dark { on_dark } else { light };
            format!(".s{at} {{ --c: {color}; }}")
        });
        rules.collect::<Vec<_>>().join(" ")
    };
    format!(
        "{} @media screen and (prefers-color-scheme: dark) {{ {} }}",
        rules(false),
        rules(true)
    )
}
