#!/usr/bin/env bash
# The JSON schema that schemars writes for a u64 is refused by Ajv, and the limit that it names is checked by nobody.
#
# Expected: a schema that is derived from Rust's types can be used to check documents of these types in any language.
# What happens: schemars gives integers the formats uint64, uint32 and so on, which JSON Schema does not have. Ajv 8 refuses the
# whole schema in its default mode ("unknown format"). Python's jsonschema ignores the format: 2^64 is valid.
# Versions: schemars 1.2.3, Ajv 8.20.0, jsonschema 4.26.0 (Python).
# Why it matters: results of benchmarks are exchanged as JSON with a schema. Its author sees valid documents, and its first reader
# in JavaScript an exception. schemars::transform::RestrictFormats leaves such formats out.
# shellcheck disable=SC2119 source=findings/common
. "$(dirname "$0")/common"

SCHEMARS=1.2.3 AJV=8.20.0 PYTHON=4.26.0

cd "$work" || exit 2
mkdir -p schema/src
cat >schema/Cargo.toml <<TOML
[package]
name = "schema"
edition = "2021"
[dependencies]
schemars = "=$SCHEMARS"
serde_json = "=1.0.154"
[workspace]
TOML
cat >schema/src/main.rs <<'RUST'
use schemars::generate::SchemaSettings;
use schemars::transform::RestrictFormats;
use schemars::JsonSchema;

#[derive(JsonSchema)]
#[allow(dead_code)]
struct Commits {
    total_ns: u64,
}

fn main() {
    let mut settings = SchemaSettings::draft2020_12();
    if std::env::args().nth(1).as_deref() == Some("restricted") {
        settings = settings.with_transform(RestrictFormats::default());
    }
    let schema = settings.into_generator().into_root_schema_for::<Commits>();
    println!("{}", serde_json::to_string(&schema).unwrap());
}
RUST
for kind in default restricted; do
  cargo run --quiet --manifest-path schema/Cargo.toml -- "$kind" >"$kind.json" || exit 2
done
npm install --silent --no-audit --no-fund "ajv@$AJV" >&2 || exit 2
fetch_python "jsonschema==$PYTHON"
printf '{"total_ns": 18446744073709551616}' >document.json

# Prints what Ajv says of the schema $1 and a document.
ajv() {
  node -e '
    const Ajv = require("ajv/dist/2020");
    const read = (path) => JSON.parse(require("fs").readFileSync(path, "utf8"));
    try { console.log(new Ajv().compile(read(process.argv[1]))(read("document.json"))); }
    catch (error) { console.log(error.message); }' "$1"
}

printf 'schemars %s: %s\n' "$SCHEMARS" "$(cat default.json)"
for kind in default restricted; do printf 'Ajv %s, %s formats: %s\n' "$AJV" "$kind" "$(ajv $kind.json)" | tee "ajv-$kind"; done
python=$("$work/python/bin/python" -c '
import json, jsonschema
schema = json.load(open("default.json"))
of = jsonschema.Draft202012Validator(schema, format_checker=jsonschema.Draft202012Validator.FORMAT_CHECKER)
print(of.is_valid(json.load(open("document.json"))))')
printf 'jsonschema %s, with formats checked: 2^64 is valid: %s\n' "$PYTHON" "$python"
grep -q 'unknown format "uint64"' ajv-default || changed 'Ajv takes the schema'
grep -q ': true$' ajv-restricted || changed 'Ajv refuses the schema without the format'
[ "$python" = True ] || changed "jsonschema checks the format"
