// Tests of the study page's pure functions: node --test crates/study/page/tests.js
"use strict";

const assert = require("node:assert/strict");
const fs = require("node:fs");
const path = require("node:path");
const test = require("node:test");
const vm = require("node:vm");

const files = ["../../report/page/duration.js", "difference.js"];
const script = files.map((file) => fs.readFileSync(path.join(__dirname, file), "utf8")).join("\n");
vm.runInThisContext(`${script}\nglobalThis.page = { differences, duration, cellsOf };`);
const { differences, duration, cellsOf } = globalThis.page;

const cause = (name, mean) => ({ cause: name, wait: name, mean });

test("differences add up to that of the means, the largest first", () => {
  const from = [cause("flush", 400), cause("on CPU", 100), cause("journal", 50)];
  const to = [cause("on CPU", 130), cause("flush", 100), cause("row lock", 900)];
  const rows = differences(from, to);
  assert.deepEqual(
    rows.map((row) => [row.cause, row.to - row.from]),
    [["row lock", 900], ["flush", -300], ["journal", -50], ["on CPU", 30]],
  );
  const sum = rows.reduce((all, row) => all + row.to - row.from, 0);
  assert.equal(sum, 130 + 100 + 900 - 550);
  assert.deepEqual(differences([], []), []);
});

test("differences below a hundredth of the largest are one row", () => {
  const from = [cause("flush", 400), cause("on CPU", 100), cause("journal", 50)];
  const to = [cause("flush", 1_400), cause("on CPU", 91), cause("journal", 53)];
  assert.deepEqual(
    differences(from, to).map((row) => [row.cause, row.to - row.from]),
    [["flush", 1000], ["2 smaller", -6]],
  );
  assert.equal(differences(from.slice(0, 2), to.slice(0, 2)).length, 2);
});

test("times have three digits and their unit", () => {
  assert.deepEqual(
    [0, 944, 8_480, -122_000, 34_800_000, 2_000_000_000].map(duration),
    ["0 ns", "944 ns", "8.48 us", "-122 us", "34.8 ms", "2.00 s"],
  );
});

test("an address names two cells", () => {
  assert.deepEqual(cellsOf("#from=mysql_1&to=a%20b"), ["mysql_1", "a b"]);
  assert.deepEqual(cellsOf("#t=1-2"), []);
});
