//! Names of a program's symbols: each one alone, or those with certain texts.
//!
//! Names have tens of megabytes. They are searched in blocks, and only those that were searched for stay in memory.

use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;

use aho_corasick::AhoCorasick;
use memchr::{memchr, memrchr};

use crate::program_file::file::ProgramFile;
use crate::program_file::headers::Section;
use crate::program_file::symbols::Symbol;

/// Bytes that are read at once. A longer name is searched in pieces.
const BLOCK: usize = 32 << 10;

/// Most bytes of all names of a table. The largest of MySQL has a sixteenth of it.
const MOST_BYTES: u64 = 512 << 20;

/// Most bytes of the names and symbols that are found. Those that probes need have a hundredth of it.
const MOST_FOUND: usize = 16 << 20;

/// Longest name that is read alone. The longest of MySQL 8.0.33 has 1487 bytes.
const LONGEST_NAME: usize = 8 << 10;

/// Bytes with which most names end.
const USUAL_NAME: usize = 256;

/// Symbol with its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedSymbol {
    /// Name as in the file: mangled.
    pub name: String,
    /// Function or variable.
    pub symbol: Symbol,
}

/// Searched texts, and what may still be found.
struct Search {
    texts: AhoCorasick,
    left: usize,
}

impl ProgramFile {
    /// Returns the symbols with one of these texts in their names. Those in both of the program's tables come twice.
    pub fn symbols_with(&self, texts: &[&str]) -> io::Result<Vec<NamedSymbol>> {
        let mut search = Search {
            texts: AhoCorasick::new(texts).map_err(io::Error::other)?,
            left: MOST_FOUND,
        };
        let mut found = Vec::new();
        for table in self.tables() {
            self.search(table, &mut search, &mut found)?;
        }
        Ok(found)
    }

    /// Returns the name at this place of the file; none if it is empty, too long or no text.
    pub fn name(&self, at: u64) -> Option<String> {
        [USUAL_NAME, LONGEST_NAME].into_iter().find_map(|length| {
            let mut bytes = vec![0; length];
            let read = self.file.read_at(&mut bytes, at).ok()?;
            bytes.truncate(memchr(0, &bytes[..read])?);
            String::from_utf8(bytes).ok().filter(|name| !name.is_empty())
        })
    }

    fn search(&self, table: &Section, search: &mut Search, found: &mut Vec<NamedSymbol>) -> io::Result<()> {
        let names = self.names_with(&table.names, search)?;
        let mut result = Ok(());
        self.for_each_of(table, |symbol| {
            let name = name_in(&names, symbol.name_at).filter(|name| search.texts.is_match(*name));
            if let (Some(name), Ok(())) = (name, &result) {
                result = search.count(name.len());
                let name = name.to_owned();
                found.push(NamedSymbol { name, symbol });
            }
        });
        result
    }

    /// Returns the names with one of the texts, by their places in the file.
    fn names_with(&self, range: &Range<u64>, search: &mut Search) -> io::Result<Vec<(u64, String)>> {
        let mut found = Vec::new();
        let mut block = vec![0; BLOCK];
        let mut at = range.start;
        let end = range.end.min(range.start.saturating_add(MOST_BYTES));
        while at < end {
            let length = usize::try_from(end - at).map_or(BLOCK, |left| left.min(BLOCK));
            let read = self.file.read_at(&mut block[..length], at)?;
            if read == 0 {
                break;
            }
            // The last name may go on in the next block.
            let whole = memrchr(0, &block[..read]).map_or(read, |last| last + 1);
            search.names_in(&block[..whole], at, &mut found)?;
            at += whole as u64;
        }
        Ok(found)
    }
}

impl Search {
    /// Adds the names with one of the texts in a block that begins with a name at the place `at` of the file.
    fn names_in(&mut self, block: &[u8], at: u64, found: &mut Vec<(u64, String)>) -> io::Result<()> {
        let mut searched = 0;
        while let Some(hit) = self.texts.find(&block[searched..]) {
            let hit = searched + hit.start();
            let start = memrchr(0, &block[..hit]).map_or(0, |end| end + 1);
            searched = memchr(0, &block[hit..]).map_or(block.len(), |length| hit + length);
            if let Ok(name) = str::from_utf8(&block[start..searched]) {
                self.count(name.len())?;
                found.push((at + start as u64, name.to_owned()));
            }
        }
        Ok(())
    }

    /// Counts a name that is found, or returns an error if that is too much.
    fn count(&mut self, length: usize) -> io::Result<()> {
        let left = self.left.checked_sub(length + size_of::<NamedSymbol>());
        self.left =
            left.ok_or_else(|| io::Error::other("it has too many functions of the searched names"))?;
        Ok(())
    }
}

/// Returns the name at a place of the file, if it or the end of it is among these. Linkers let a name begin within another one.
fn name_in(names: &[(u64, String)], at: u64) -> Option<&str> {
    let after = names.partition_point(|(start, _)| *start <= at);
    let (start, name) = names.get(after.checked_sub(1)?)?;
    name.get(usize::try_from(at - start).ok()?..)
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};

    use super::*;
    use crate::program_file::headers::Headers;

    /// Program with these bytes, which are no program.
    fn program(bytes: &[u8]) -> ProgramFile {
        let place = tempfile::NamedTempFile::new().unwrap();
        fs::write(place.path(), bytes).unwrap();
        ProgramFile {
            file: File::open(place.path()).unwrap(),
            headers: Headers {
                segments: Vec::new(),
                sections: Vec::new(),
            },
        }
    }

    fn found(bytes: &[u8], texts: &[&str]) -> io::Result<Vec<(u64, String)>> {
        let mut search = Search {
            texts: AhoCorasick::new(texts).unwrap(),
            left: MOST_FOUND,
        };
        program(bytes).names_with(&(0..bytes.len() as u64), &mut search)
    }

    #[test]
    fn names_are_found_in_and_across_blocks() {
        let own = |names: &[(u64, &str)]| {
            names
                .iter()
                .map(|&(at, name)| (at, name.to_owned()))
                .collect::<Vec<_>>()
        };
        let names = found(b"\0a_one\0two\0one_b_one\0on\0e", &["one"]).unwrap();
        assert_eq!(names, own(&[(1, "a_one"), (11, "one_b_one")]));
        assert_eq!(name_in(&names, 3), Some("one"));
        assert_eq!(name_in(&names, 6), Some(""));
        assert_eq!(name_in(&names, 7), None);
        assert_eq!(name_in(&names, 0), None);
        let mut bytes = b"x".repeat(BLOCK - 3);
        bytes.extend(b"\0across\0");
        assert_eq!(
            found(&bytes, &["across"]).unwrap(),
            own(&[(BLOCK as u64 - 2, "across")])
        );
        // A long name without an end.
        assert_eq!(found(&b"x".repeat(3 * BLOCK), &["y"]).unwrap(), []);
        assert_eq!(found(&b"\xffone\0".repeat(3), &["one"]).unwrap(), [], "no text");
    }

    #[test]
    fn what_is_found_has_a_limit() {
        let bytes = [b"one_".repeat(1_000), vec![0]]
            .concat()
            .repeat(MOST_FOUND / 4_000 + 1);
        let error = found(&bytes, &["one"]).unwrap_err().to_string();
        assert!(error.contains("too many"), "{error}");
    }

    #[test]
    fn a_name_is_read_alone() {
        let long = "l".repeat(LONGEST_NAME - 1);
        let text = format!("one\0{}\0{long}\0{long}l\0\0", "m".repeat(USUAL_NAME));
        let program = program(text.as_bytes());
        let at = |name: &str| text.find(name).unwrap() as u64;
        assert_eq!(program.name(0).as_deref(), Some("one"));
        assert_eq!(program.name(1).as_deref(), Some("ne"));
        assert_eq!(program.name(at("mm")).unwrap().len(), USUAL_NAME);
        assert_eq!(program.name(at("ll")).as_deref(), Some(&*long));
        assert_eq!(program.name(at("ll") + LONGEST_NAME as u64), None, "too long");
        assert_eq!(program.name(3), None, "empty");
        assert_eq!(program.name(text.len() as u64), None, "behind the end");
    }

    #[test]
    fn symbols_are_found_by_a_part_of_their_names() {
        let program = ProgramFile::open(&std::env::current_exe().unwrap()).unwrap();
        let texts = ["symbols_are_found_by_a_part", "an_unused_name_of"];
        let symbols = program.symbols_with(&texts).unwrap();
        assert!(!symbols.is_empty());
        for NamedSymbol { name, symbol } in symbols {
            assert!(name.contains(texts[0]), "{name}");
            assert_eq!(program.name(symbol.name_at), Some(name));
        }
    }
}
