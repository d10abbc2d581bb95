//! Fuzzing: damaged copies of sound inputs, for everything that reads the bytes of others.
//!
//! Such tests are in modules with the name `fuzz`, so that `scripts/fuzz` can run them for hours. They fail if a reader
//! panics, overflows or does not end; proptest then shrinks the input and saves its seed in `proptest-regressions`.

#![expect(clippy::expect_used, reason = "a test that cannot be set up has failed")]

use std::path::PathBuf;
use std::{env, fs, thread};

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::Config;
use serde_json::Value;

/// Environment variable with the number of cases of each test. Without it, each test has its own small number.
pub const CASES: &str = "LOGTRACE_FUZZ_CASES";

/// Environment variable with a directory for the latest input of each test: that of a reader that aborts or never ends.
pub const LATEST: &str = "LOGTRACE_FUZZ_LATEST";

/// Largest number of changes in one input.
const MOST_CHANGES: usize = 8;

/// Largest number of bytes that one change inserts, removes or repeats.
const MOST_BYTES: usize = 64;

/// Texts at the limits of what readers expect.
const TEXTS: [&str; 24] = [
    "",
    "\0",
    "\n",
    "\r\n",
    "\u{1b}]0;x\u{7}",
    "\u{202e}",
    "\u{feff}",
    "é",
    "-1",
    "0",
    "1e999",
    "-1e-999",
    "NaN",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "[",
    "{",
    "\"",
    "null",
    "../../../x",
];

/// Numbers at the limits of their types.
const NUMBERS: [u64; 12] = [
    0,
    1,
    0x7f,
    0xff,
    0x7fff,
    0xffff,
    0x7fff_ffff,
    0xffff_ffff,
    0x1_0000_0000,
    u64::MAX / 2,
    u64::MAX / 2 + 1,
    u64::MAX,
];

/// Change of an input. A place is the rest of a number divided by the number of places; the end is a place, too.
#[derive(Clone, Debug)]
enum InputChange {
    SetByte(usize, u8),
    FlipBit(usize, u8),
    /// Overwrites with the first 1, 2, 4 or 8 bytes of a little-endian number.
    SetNumber(usize, u64, usize),
    Insert(usize, Vec<u8>),
    Remove(usize, usize),
    /// Copies bytes from one place to another.
    Repeat(usize, usize, usize),
    Cut(usize),
}

/// Returns the configuration of a fuzz test with this number of cases, or with the number in [`CASES`].
pub fn config(cases: u32) -> Config {
    let wanted = env::var(CASES).ok().and_then(|cases| cases.parse().ok());
    Config::with_cases(wanted.unwrap_or(cases))
}

/// Draws damaged copies of sound inputs, and sometimes a sound one.
///
/// # Panics
///
/// Panics if there is no sound input.
pub fn damaged(sound: Vec<Vec<u8>>) -> impl Strategy<Value = Vec<u8>> {
    assert!(!sound.is_empty(), "nothing to damage");
    let inputs = (any::<Index>(), vec(changes(), 0..=MOST_CHANGES));
    inputs.prop_map(move |(which, changes)| {
        let mut bytes = which.get(&sound).clone();
        for change in changes {
            apply(change, &mut bytes);
        }
        keep(&bytes);
        bytes
    })
}

/// Draws damaged copies of sound texts. Bytes that are no UTF-8 become U+FFFD.
///
/// # Panics
///
/// Panics if there is no sound text.
pub fn damaged_text<T: AsRef<str>>(sound: impl IntoIterator<Item = T>) -> impl Strategy<Value = String> {
    let sound = sound.into_iter().map(|text| text.as_ref().as_bytes().to_vec());
    damaged(sound.collect()).prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// Draws copies of sound JSON texts with some values replaced, left out or repeated: the syntax stays sound.
///
/// # Panics
///
/// Panics if there is no sound text, or one is no JSON.
pub fn damaged_json<T: AsRef<str>>(sound: impl IntoIterator<Item = T>) -> impl Strategy<Value = String> {
    let sound = sound
        .into_iter()
        .map(|text| serde_json::from_str(text.as_ref()).expect("sound JSON"));
    let sound: Vec<Value> = sound.collect();
    assert!(!sound.is_empty(), "nothing to damage");
    let change = (any::<usize>(), replacements());
    (any::<Index>(), vec(change, 0..=MOST_CHANGES)).prop_map(move |(which, changes)| {
        let mut document = which.get(&sound).clone();
        for (at, replacement) in changes {
            let mut left = at % values(&document).max(1);
            replace(&mut document, &mut left, &replacement);
        }
        let text = document.to_string();
        keep(text.as_bytes());
        text
    })
}

/// Replacement of a value of JSON.
#[derive(Clone, Debug)]
enum Replacement {
    Value(Value),
    /// Without its last element, byte or digit.
    Shorter,
    /// Its first element or itself twice.
    Repeated,
}

fn replacements() -> impl Strategy<Value = Replacement> {
    let text = proptest::sample::select(&TEXTS[..]).prop_map(Value::from);
    let number = proptest::sample::select(&NUMBERS[..]).prop_map(Value::from);
    let fraction = prop_oneof![Just(-1.0), Just(0.5), Just(1e300), Just(-1e300), Just(5e-324)];
    let value = prop_oneof![
        text,
        number,
        fraction.prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        Just(Value::Array(Vec::new())),
    ];
    prop_oneof![
        4 => value.prop_map(Replacement::Value),
        1 => Just(Replacement::Shorter),
        1 => Just(Replacement::Repeated),
    ]
}

/// Number of values in a document: all but the document itself.
fn values(document: &Value) -> usize {
    let within = |values: &mut dyn Iterator<Item = &Value>| values.map(|value| 1 + self::values(value)).sum();
    match document {
        Value::Array(elements) => within(&mut elements.iter()),
        Value::Object(fields) => within(&mut fields.values()),
        _ => 0,
    }
}

/// Replaces the value that has `left` others before it. Counts `left` down.
fn replace(document: &mut Value, left: &mut usize, replacement: &Replacement) -> bool {
    let mut visit = |values: &mut dyn Iterator<Item = &mut Value>| {
        for value in values {
            if *left == 0 {
                *value = replaced(value, replacement);
                return true;
            }
            *left -= 1;
            if replace(value, left, replacement) {
                return true;
            }
        }
        false
    };
    match document {
        Value::Array(elements) => visit(&mut elements.iter_mut()),
        Value::Object(fields) => visit(&mut fields.values_mut()),
        _ => false,
    }
}

fn replaced(value: &Value, replacement: &Replacement) -> Value {
    let mut value = value.clone();
    match (replacement, &mut value) {
        (Replacement::Value(other), _) => return other.clone(),
        (Replacement::Shorter, Value::Array(elements)) => drop(elements.pop()),
        (Replacement::Shorter, Value::String(text)) => drop(text.pop()),
        (Replacement::Shorter, Value::Number(number)) => {
            return number.as_u64().map_or(Value::Null, |number| (number / 10).into());
        }
        (Replacement::Repeated, Value::Array(elements)) => elements.extend(elements.first().cloned()),
        (Replacement::Repeated, Value::String(text)) => *text = text.repeat(2),
        (Replacement::Shorter | Replacement::Repeated, _) => {}
    }
    value
}

fn changes() -> impl Strategy<Value = InputChange> {
    let at = any::<usize>;
    let length = 1..=MOST_BYTES;
    let text = proptest::sample::select(&TEXTS[..]).prop_map(|text| text.as_bytes().to_vec());
    let number = proptest::sample::select(&NUMBERS[..]);
    prop_oneof![
        (at(), any::<u8>()).prop_map(|(at, byte)| InputChange::SetByte(at, byte)),
        (at(), 0u8..8).prop_map(|(at, bit)| InputChange::FlipBit(at, bit)),
        (at(), number, 0u32..4).prop_map(|(at, number, size)| InputChange::SetNumber(at, number, 1 << size)),
        (at(), text).prop_map(|(at, text)| InputChange::Insert(at, text)),
        (at(), vec(any::<u8>(), 1..16)).prop_map(|(at, bytes)| InputChange::Insert(at, bytes)),
        (at(), length.clone()).prop_map(|(at, length)| InputChange::Remove(at, length)),
        (at(), at(), length).prop_map(|(from, to, length)| InputChange::Repeat(from, to, length)),
        at().prop_map(InputChange::Cut),
    ]
}

fn apply(change: InputChange, bytes: &mut Vec<u8>) {
    let places = bytes.len() + 1;
    let place = |at: usize| at % places;
    let until = |start: usize, length: usize| (start + length).min(places - 1);
    match change {
        InputChange::SetByte(at, byte) => overwrite(bytes, place(at), &[byte]),
        InputChange::FlipBit(at, bit) => {
            let at = place(at);
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= 1 << bit;
            }
        }
        InputChange::SetNumber(at, number, size) => {
            overwrite(bytes, place(at), &number.to_le_bytes()[..size]);
        }
        InputChange::Insert(at, inserted) => {
            let at = place(at);
            bytes.splice(at..at, inserted);
        }
        InputChange::Remove(at, length) => {
            let start = place(at);
            bytes.drain(start..until(start, length));
        }
        InputChange::Repeat(from, to, length) => {
            let (start, to) = (place(from), place(to));
            let repeated = bytes[start..until(start, length)].to_vec();
            bytes.splice(to..to, repeated);
        }
        InputChange::Cut(at) => bytes.truncate(place(at)),
    }
}

fn overwrite(bytes: &mut [u8], at: usize, with: &[u8]) {
    for (byte, new) in bytes.iter_mut().skip(at).zip(with) {
        *byte = *new;
    }
}

/// Writes the input of this test into the directory that [`LATEST`] names, if any.
fn keep(bytes: &[u8]) {
    let Some(directory) = env::var_os(LATEST) else {
        return;
    };
    let test = thread::current().name().unwrap_or("?").replace("::", ".");
    fs::write(PathBuf::from(directory).join(test), bytes).expect("the directory of the latest inputs");
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;

    use super::*;

    #[test]
    fn damaged_copies_differ_and_some_are_sound() {
        let mut runner = TestRunner::deterministic();
        let inputs = damaged(vec![b"sound".to_vec(), Vec::new()]);
        let drawn = (0..500).map(|_| inputs.new_tree(&mut runner).unwrap().current());
        let drawn: BTreeSet<Vec<u8>> = drawn.collect();
        assert!(drawn.len() > 300, "{}", drawn.len());
        assert!(drawn.contains(&b"sound"[..]) && drawn.contains(&b""[..]));
    }

    #[test]
    fn damaged_json_is_json_and_each_value_can_change() {
        let mut runner = TestRunner::deterministic();
        let sound = r#"{"a":[1,{"b":"x"}],"c":true}"#;
        let inputs = damaged_json([sound]);
        let drawn = (0..500).map(|_| inputs.new_tree(&mut runner).unwrap().current());
        let drawn: Vec<Value> = drawn.map(|text| serde_json::from_str(&text).unwrap()).collect();
        let sound: Value = serde_json::from_str(sound).unwrap();
        assert_eq!(values(&sound), 5);
        for changed in ["/a", "/a/0", "/a/1", "/a/1/b", "/c"] {
            assert!(
                drawn
                    .iter()
                    .any(|one| one.pointer(changed) != sound.pointer(changed))
            );
        }
    }

    #[test]
    fn each_change_is_made_within_the_bytes() {
        let (start, end) = (0, 4);
        let changed = |change| {
            let mut bytes = b"abcd".to_vec();
            apply(change, &mut bytes);
            bytes
        };
        assert_eq!(changed(InputChange::SetByte(start, b'x')), b"xbcd");
        assert_eq!(changed(InputChange::SetByte(end, b'x')), b"abcd");
        assert_eq!(changed(InputChange::FlipBit(start, 1)), b"cbcd");
        assert_eq!(changed(InputChange::SetNumber(start, u64::MAX, 8)), [0xff; 4]);
        assert_eq!(changed(InputChange::Insert(end, b"e".to_vec())), b"abcde");
        assert_eq!(changed(InputChange::Remove(start, 3)), b"d");
        assert_eq!(changed(InputChange::Remove(end, 3)), b"abcd");
        assert_eq!(changed(InputChange::Repeat(start, end, 9)), b"abcdabcd");
        assert_eq!(changed(InputChange::Cut(start)), b"");
    }
}
