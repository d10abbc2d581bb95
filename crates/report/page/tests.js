// Tests of the page's pure functions: node --test crates/report/page/tests.js
"use strict";

const assert = require("node:assert/strict");
const fs = require("node:fs");
const path = require("node:path");
const stream = require("node:stream");
const test = require("node:test");
const vm = require("node:vm");
const zlib = require("node:zlib");

const files = ["decode.js", "scale.js", "duration.js", "select.js", "address.js", "arrows.js", "icicle.js", "timeline.js", "waited_for.js", "drag.js", "chart.js", "map.js"];
const script = files.map((file) => fs.readFileSync(path.join(__dirname, file), "utf8")).join("\n");
vm.runInThisContext(`${script}\nglobalThis.page = { caption, unpack, cells, rowStart, rowOf, duration, grouped, sums, moreThanRest, within, fragment, selectionOf, treeOf, timelineOf, commitsIn, nearPercentiles, whoeverWorked, neighbour, framesOf, roundTimes, waitedFor, waitedForInWords, meant, atOnce, valueText, barAt, barEnds, barSaid, inOneLine, countsOf, cellSaid };`);
const { page } = globalThis;

// Node before 20.12 knows no raw deflate here, which all browsers do.
try {
  new DecompressionStream("deflate-raw");
} catch {
  globalThis.DecompressionStream = class {
    constructor() {
      return stream.Duplex.toWeb(zlib.createInflateRaw());
    }
  };
}

/** Packs numbers as logtrace does. */
function pack(numbers) {
  const bytes = [];
  for (let number of numbers) {
    for (; number >= 128n; number >>= 7n) bytes.push(Number(number & 127n) | 128);
    bytes.push(Number(number));
  }
  return zlib.deflateRawSync(Buffer.from(bytes)).toString("base64");
}

test("numbers of up to 53 bits read back", async () => {
  const numbers = [0n, 1n, 127n, 128n, 300n, 2n ** 31n, 2n ** 32n + 5n, 2n ** 53n - 1n];
  assert.deepEqual(await page.unpack(pack(numbers)), numbers.map(Number));
});

test("columns of cells are differences", () => {
  assert.deepEqual(page.cells([3, 10, 0, 20, 2, 30], 2).map((part) => [...part]), [[3, 3, 5], [10, 20, 30]]);
});

test("rows follow each other without a gap", () => {
  for (let ns = 0; ns < 5000; ns += 1) {
    const row = page.rowOf(ns);
    assert.ok(page.rowStart(row) <= ns && ns < page.rowStart(row + 1), `${ns} in ${row}`);
  }
  for (let power = 3; power < 50; power += 1) {
    assert.equal(page.rowStart(page.rowOf(2 ** power)), 2 ** power);
    assert.equal(page.rowOf(2 ** power - 1) + 1, page.rowOf(2 ** power));
  }
});

test("durations have three digits", () => {
  const texts = [0, 845, 999.6, 48_200, 99_960, 1_310_000, 12_500_000_000].map(page.duration);
  assert.deepEqual(texts, ["0 ns", "845 ns", "1.00 us", "48.2 us", "100 us", "1.31 ms", "12.5 s"]);
  assert.equal(page.grouped(1234567), "1,234,567");
});

const stack = (wait) => ({ who: "own", file: null, op: null, wait, frames: [] });

/** Numbers that are the same in each run. */
function random() {
  let state = 1;
  return (below) => {
    state = (state * 48271) % 2147483647;
    return state % below;
  };
}

function madeUp() {
  const next = random();
  const causes = [];
  const commits = [];
  for (let column = 0; column < 50; column += 1) {
    for (let band = 20; band < 30; band += 1) {
      commits.push([2 * column + (band % 2), 4 * band + next(4), 1 + next(9)]);
      for (let at = 0; at < 3; at += 1) if (next(2)) causes.push([column, band, at, next(1e9), 1]);
    }
  }
  const parts = (rows) => rows[0].map((_, part) => Float64Array.from(rows, (row) => row[part]));
  const run = { columnNs: 200, heatColumnNs: 100, stacks: ["a", "b", "a"].map(stack), causes: parts(causes), commits: parts(commits) };
  return { run, causes, commits };
}

test("any rectangle has the sums of its cells, and the rest has all others", () => {
  const { run, causes, commits } = madeUp();
  const next = random();
  for (let round = 0; round < 200; round += 1) {
    const [fromColumn, fromBand] = [next(50), 20 + next(10)];
    const selection = { fromColumn, fromBand, toColumn: fromColumn + 1 + next(20), toBand: fromBand + 1 + next(5) };
    const isIn = (column, band) =>
      column >= fromColumn && column < selection.toColumn && band >= fromBand && band < selection.toBand;
    const found = page.sums(run, selection);
    const inside = causes.filter(([column, band]) => isIn(column, band));
    assert.equal(found.ns, inside.reduce((sum, cell) => sum + cell[3], 0));
    assert.equal(found.ns + found.restNs, causes.reduce((sum, cell) => sum + cell[3], 0));
    for (const cause of found.causes) {
      const ofCause = causes.filter((cell) => run.stacks[cell[2]].wait === cause.wait);
      assert.equal(cause.ns + cause.restNs, ofCause.reduce((sum, cell) => sum + cell[3], 0));
    }
    const counted = commits.filter(([column, row]) => isIn(Math.floor(column / 2), Math.floor(row / 4)));
    assert.equal(found.commits, counted.reduce((sum, cell) => sum + cell[2], 0));
    assert.equal(found.commits + found.restCommits, commits.reduce((sum, cell) => sum + cell[2], 0));
  }
});

test("what a selection has more of comes with the largest difference first", () => {
  const cause = (wait, ns, restNs) => ({ ...stack(wait), ns, restNs });
  const found = { commits: 2, restCommits: 10, ns: 0, causes: [cause("a", 20, 90), cause("b", 80, 50), cause("c", 2, 100)] };
  const more = page.moreThanRest(found).map(({ cause, moreNs }) => [cause.wait, moreNs]);
  assert.deepEqual(more, [["b", 35], ["a", 1]]);
  assert.deepEqual(page.moreThanRest({ ...found, restCommits: 0 }), []);
});

test("a cause is one whoever worked", () => {
  const cause = (who, wait, ns, restNs) => ({ who, file: "redo", op: "fsync", wait, ns, restNs });
  const merged = page.whoeverWorked([cause("own", "device flush", 5, 2), cause("own", "on CPU", 4, 0), cause("leader", "device flush", 3, 1)]);
  assert.deepEqual(merged.map(({ wait, ns, restNs }) => [wait, ns, restNs]), [["device flush", 8, 3], ["on CPU", 4, 0]]);
});

test("a selection stays within the run and is never empty", () => {
  const whole = { fromColumn: 0, toColumn: 10, fromBand: 5, toBand: 8 };
  const inside = (fromColumn, toColumn, fromBand, toBand) =>
    Object.values(page.within({ fromColumn, toColumn, fromBand, toBand }, whole));
  assert.deepEqual(inside(2, 4, 6, 7), [2, 4, 6, 7]);
  assert.deepEqual(inside(-5, 99, 0, 99), [0, 10, 5, 8]);
  assert.deepEqual(inside(12, 14, 9, 9), [9, 10, 7, 8]);
  assert.deepEqual(inside(-3, -1, 6, 6), [0, 1, 6, 7]);
});

test("a tree has the time of its selection on each level", () => {
  const { run } = madeUp();
  run.stacks[0].frames = ["f", "g"];
  run.stacks[1] = { ...run.stacks[1], file: "redo", op: "fsync", frames: ["f"] };
  const selection = { fromColumn: 5, toColumn: 20, fromBand: 22, toBand: 25 };
  const tree = page.treeOf(run, selection);
  assert.equal(tree.ns, page.sums(run, selection).ns);
  const check = ({ ns, below }) => {
    const sum = below.reduce((all, part) => all + part.ns, 0);
    assert.ok(sum <= ns, "parts are not more than the whole");
    below.forEach(check);
  };
  check(tree);
  assert.deepEqual(tree.below.map(({ name, ns }) => [name, ns]), [["own", tree.ns]]);
  assert.deepEqual(new Set(tree.below[0].below.map(({ name }) => name)), new Set(["a", "redo fsync"]));
  const frames = page.framesOf(tree);
  assert.deepEqual(frames.slice(0, 2), [
    { box: { row: 0, from: 0, to: tree.ns }, name: "commit", wait: undefined, path: "" },
    { box: { row: 1, from: 0, to: tree.ns }, name: "own", wait: undefined, path: "commit" },
  ]);
  const third = frames.filter(({ box }) => box.row === 2);
  assert.deepEqual(third.map(({ box }) => box.from), [0, third[0].box.to]);
  assert.equal(third[1].path, "commit › own");
});

test("arrows lead down to the first part of a frame, up to the whole, and along its row", () => {
  const boxes = [[0, 0, 10], [1, 0, 6], [1, 6, 9], [2, 0, 4], [2, 6, 9]].map(([row, from, to]) => ({ row, from, to }));
  const to = (at, key) => page.neighbour(boxes, at, key, true);
  assert.deepEqual([0, 1, 2].map((at) => to(at, "ArrowDown")), [1, 3, 4]);
  assert.deepEqual([4, 3, 2, 1].map((at) => to(at, "ArrowUp")), [2, 1, 0, 0]);
  assert.deepEqual([to(1, "ArrowRight"), to(4, "ArrowLeft"), to(3, "End"), to(4, "Home")], [2, 3, 4, 3]);
  const ends = [to(0, "ArrowUp"), to(4, "ArrowDown"), to(2, "ArrowRight"), to(1, "ArrowLeft")];
  assert.deepEqual(ends, [-1, -1, -1, -1]);
});

test("arrows lead to what is nearest in the next lane that has something", () => {
  const boxes = [[0, 0, 10], [0, 2, 3], [0, 20, 30], [2, 4, 5], [2, 22, 40]].map(([row, from, to]) => ({ row, from, to }));
  const to = (at, key) => page.neighbour(boxes, at, key, false);
  assert.deepEqual([0, 1, 2].map((at) => to(at, "ArrowDown")), [3, 3, 4]);
  assert.equal(to(3, "ArrowUp"), 0);
  assert.equal(to(4, "ArrowUp"), 2);
  assert.deepEqual([to(0, "ArrowRight"), to(1, "ArrowRight"), to(1, "ArrowLeft")], [1, 2, 0]);
});

test("the critical path is in one lane at a time and goes on in another one at its end", () => {
  const stacks = ["a", "b"].map(stack).concat([{ ...stack("c"), who: "leader" }]);
  const records = { lead: 20, lanes: [{ tid: 7 }, { tid: 9 }, { device: "8:0" }], is_cut: false, list: "" };
  const commit = { end: 1000, ns: 100, tid: 7, parts: [[10, 7, 0], [20, 7, 0], [30, 9, 2], [40, 7, 1]], records };
  const seen = [[0, 15, 1, 0, 0], [60, 5, 2, 1, 0], [80, 3, 0, 2, 9]];
  const columns = seen[0].map((_, part) => Float64Array.from(seen, (row) => row[part]));
  const found = page.timelineOf(commit, { stacks, words: ["redo fsync", "flush", "run queue"], commits: [] }, columns, { 9: "log_writer" });
  const bars = found.bars.map(({ from, ns, lane }) => [from, ns, lane]);
  assert.deepEqual(bars, [[0, 30, 0], [30, 30, 1], [60, 40, 0]]);
  assert.deepEqual(found.hops.map(({ at, from, to }) => [at, from, to]), [[30, 0, 1], [60, 1, 0]]);
  const lanes = found.lanes.map(({ name, intervals }) => [name, ...intervals.map(({ from, ns, word, waker }) => [from, ns, word, waker])]);
  assert.deepEqual(lanes, [
    ["thread 7 (its own)", [60, 3, "run queue", 9]],
    ["thread 9 (log_writer, leader)", [-20, 15, "redo fsync", 0]],
    ["device 8:0", [40, 5, "flush", 0]],
  ]);
});

test("what is not drawn of a commit is said above it", () => {
  const commit = { end: 2e9, ns: 3e6, tid: 7, parts: [[3e6, 7, 0]] };
  const records = { lead: 0, lanes: [], is_cut: true, list: "" };
  assert.equal(page.caption({ ...commit, records: { ...records, is_cut: false } }, 1), "3.00 ms, ended at 2.00 s, thread 7");
  assert.match(page.caption({ ...commit, records }, 1), /, without some of the records/);
  assert.match(page.caption(commit, 1), /, without what its threads did/);
  assert.match(page.caption({ ...commit, segments: 6000 }, 1), /, its 6,000 parts drawn as 1: /);
});

test("a commit without records has its path", () => {
  const commit = { end: 1000, ns: 30, tid: 7, parts: [[30, 9, 0]] };
  const found = page.timelineOf(commit, { stacks: [{ ...stack("a"), who: "background" }], words: [], commits: [] }, [], {});
  assert.deepEqual(found.lanes.map(({ name }) => name), ["thread 7 (its own)", "thread 9 (background)"]);
  assert.equal(found.bars[0].lane, 1);
});

test("the threads that commits waited for come with the longest time first", () => {
  const stacks = [{ ...stack("a"), who: "own" }, { ...stack("b"), who: "leader" }, { ...stack("c"), who: "background" }];
  const commits = [
    { end: 1000, ns: 100, tid: 7, parts: [[30, 7, 0], [50, 9, 1], [20, 8, 2]] },
    { end: 1000, ns: 100, tid: 9, parts: [[100, 9, 0]] },
    { end: 1000, ns: 100, tid: 8, parts: [[10, 9, 1], [90, 9, 2]] },
  ];
  const found = page.waitedFor(commits, stacks).map(({ tid, ns, commits: count }) => [tid, ns, count]);
  assert.deepEqual(found, [[9, 150, 2], [8, 20, 1]]);
  assert.equal(
    page.waitedForInWords(commits, stacks, { 8: "log_writer" }),
    "These 3 commits waited for other threads in 56.7 % of their time: 50.0 % for thread 9 (leader, background, 2 commits), " +
      "6.7 % for thread 8 (log_writer, background, 1 commit).",
  );
  assert.equal(page.waitedForInWords([commits[1]], stacks, {}), "This commit waited for no other thread.");
  assert.equal(page.waitedForInWords([], stacks, {}), "");
});

test("an axis has few round times, and 0", () => {
  assert.deepEqual(page.roundTimes(-20, 100), [-20, 0, 20, 40, 60, 80]);
  assert.deepEqual(page.roundTimes(0, 4e8), [0, 1e8, 2e8, 3e8]);
  for (const to of [1, 7, 99, 1234, 5e6, 7e9, 3e14]) {
    const times = page.roundTimes(-to / 5, to);
    assert.ok(times.includes(0) && times.length <= 8 && times.length >= 1, `${times}`);
  }
});

test("a finger selects only if it goes sideways", () => {
  assert.equal(page.meant(8, 8), "nothing");
  for (const [right, down] of [[30, 0], [-30, 5], [40, -20]]) assert.equal(page.meant(right, down), "select");
  for (const [right, down] of [[0, 30], [20, 20], [-30, 20], [10, -40]]) assert.equal(page.meant(right, down), "scroll");
});

test("commits of one stall are a group, and a short one meanwhile is not", () => {
  const commit = (end, ns) => ({ end, ns, tid: 1, parts: [] });
  const stall = [commit(1000, 100), commit(1001, 95), commit(990, 60)];
  const others = [commit(500, 90), commit(1000, 49), commit(1040, 50)];
  const groups = page.atOnce([...stall, ...others]);
  assert.deepEqual(groups.map((group) => group.map(({ ns }) => ns)), [[100, 95, 60], [90], [49], [50]]);
  assert.equal(groups.flat().length, 6);
});

const rates = { unit: "rate", column_ns: 5e8, series: [{ name: "done", values: [0, 12.34, 812.4] }, { name: "due", values: [1, 2, 3] }] };
const bars = {
  unit: "ns",
  bars: [[1, "10 commits"], [3, "2 commits"]],
  sum: "mean",
  series: [{ name: "on CPU", color: "#123456", values: [1000, 0] }, { name: "others", values: [3000, 0] }],
};

test("each bar of a chart has its values", () => {
  assert.deepEqual({ ...page.barSaid(rates, 1) }, {
    heading: "0.5 to 1 s",
    lines: [{ name: "done", color: undefined, text: "12.3/s" }, { name: "due", color: undefined, text: "2/s" }],
  });
  assert.equal(page.inOneLine(page.barSaid(rates, 2)), "1 to 1.5 s, done 812/s, due 3/s");
  assert.equal(page.inOneLine(page.barSaid(bars, 0)), "10 commits, mean 4.00 us, others 3.00 us, on CPU 1.00 us");
  assert.equal(page.inOneLine(page.barSaid(bars, 1)), "2 commits, mean 0 ns");
  assert.deepEqual(["rate", "count", "ns"].map((unit) => page.valueText(1234.5, unit)), ["1,235/s", "1,235", "1.23 us"]);
});

test("each place of a chart is in one bar, from its left to its right end", () => {
  for (const [chart, count] of [[rates, 3], [bars, 2]]) {
    const ends = Array.from({ length: count }, (_, at) => page.barEnds(chart, at));
    assert.equal(ends[0][0], 0);
    assert.equal(ends.at(-1)[1], 1);
    for (let place = 0; place < 1; place += 0.01) {
      const [left, right] = ends[page.barAt(chart, place)];
      assert.ok(left <= place + 1e-9 && place < right + 1e-9, `${place}`);
    }
    assert.deepEqual([-1, 2].map((place) => page.barAt(chart, place)), [0, count - 1]);
  }
});

test("a cell of a heat map has the number of the picture's column", () => {
  const axes = { endNs: 800, columnNs: 200, firstRow: 40, rows: 4 };
  const counts = page.countsOf([[0, 1, 1, 7], [41, 41, 42, 40], [3, 4, 1, 9]], 100, axes);
  const words = (column, row) => page.inOneLine(page.cellSaid(counts, axes, { column, row }, "commit"));
  assert.ok(words(0, 41).endsWith(`${page.duration(page.rowStart(41))} to ${page.duration(page.rowStart(42))} 7`), words(0, 41));
  assert.ok(words(0, 42).includes("commit,") && words(0, 42).endsWith(" 1"), words(0, 42));
  assert.ok(words(3, 40).endsWith(" 9") && words(2, 40).endsWith(" 0"));
});

test("commits that are drawn are those of the selection", () => {
  const commits = [5, 15, 25].map((end) => ({ end, ns: 2 ** 20, tid: 1, parts: [] }));
  const band = page.rowOf(2 ** 20) / 4;
  const inside = (fromColumn, toColumn, fromBand) =>
    page.commitsIn(commits, { fromColumn, toColumn, fromBand, toBand: fromBand + 1 }, 10).map(({ end }) => end);
  assert.deepEqual(inside(0, 2, band), [5, 15]);
  assert.deepEqual(inside(0, 2, band + 1), []);
});

test("typical commits of a run are those nearest to its percentiles", () => {
  const commits = [0, 300, 520, 880, 985, 999, 1000].map((shorter) => ({ shorter }));
  assert.deepEqual(page.nearPercentiles(commits, 1001).map(({ shorter }) => shorter), [520, 880, 985, 1000]);
  assert.deepEqual(page.nearPercentiles([], 5), []);
  assert.deepEqual(page.nearPercentiles(commits.slice(0, 1), 1), commits.slice(0, 1));
});

test("an address names the selection", () => {
  for (const columnNs of [100e6, 3.2e9]) {
    const selection = { fromColumn: 139, toColumn: 146, fromBand: 40, toBand: 63 };
    assert.deepEqual({ ...page.selectionOf(`#${page.fragment(selection, columnNs)}`, columnNs) }, selection);
  }
  const all = { fromColumn: 10, toColumn: 20, fromBand: 0, toBand: Number.MAX_SAFE_INTEGER };
  assert.deepEqual({ ...page.selectionOf("#t=1-2", 100e6) }, all);
  for (const text of ["", "#", "#t=1", "#t=1-2&d=x-3", "#t=-1-2&d=3-4", "#t=1-2&d=3-4&e"]) {
    assert.equal(page.selectionOf(text, 100e6), null, text);
  }
});
