//! Places that open the directory of a process by its number.

/// Ways to open it.
const WAYS: [&str; 4] = [
    "\"/proc/{",
    "Path::new(\"/proc\").join",
    "PathBuf::from(\"/proc\").join",
    "Process::new(",
];

/// Returns the lines of a source file, without its tests, that open the directory of a process by its number.
pub fn opened_processes(source: &str) -> Vec<&str> {
    let code = source.split("#[cfg(test)]").next().unwrap_or(source);
    let lines = code.lines().map(str::trim);
    let lines = lines.filter(|line| !line.starts_with("//"));
    lines
        .filter(|line| WAYS.iter().any(|way| line.contains(way)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_way_is_found_and_those_of_tests_are_not() {
        let numbered = "fs::read(format!(\"/proc/{pid}/comm\"))";
        let held = "let it = Process::new(7)?;";
        let source = format!(
            "// {numbered}\nlet own = \"/proc/self/stat\";\n{held}\n    {numbered}\n#[cfg(test)]\nmod tests {{\n{held}\n}}"
        );
        assert_eq!(opened_processes(&source), [held, numbered]);
    }
}
