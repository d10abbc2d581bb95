// @ts-check
"use strict";

/**
 * What threads and devices did during a commit: `list` is packed, `lead` nanoseconds of it are before the commit.
 * @typedef {{ lead: number, lanes: { tid?: number, device?: string }[], is_cut: boolean, list: string }} Records
 *
 * @typedef {object} Exemplar
 * @property {number} end
 * @property {number} ns
 * @property {number} tid
 * @property {[number, number, number][]} parts Nanoseconds, thread, stack.
 * @property {number} [segments] Number of its parts before near ones became one.
 * @property {number} [shorter] Number of shorter commits.
 * @property {number} [stall] Start of the stall.
 * @property {Records} [records]
 *
 * @typedef {{ stacks: Stack[], words: string[], commits: Exemplar[] }} Exemplars
 *
 * Part of the critical path, in nanoseconds from the start of the commit.
 * @typedef {{ from: number, ns: number, lane: number, stack: Stack }} Bar
 *
 * Interval of a thread or a device, in nanoseconds from the start of the commit.
 * @typedef {{ from: number, ns: number, word: string, waker: number }} Interval
 *
 * @typedef {{ name: string, intervals: Interval[] }} Lane
 *
 * Where the path goes on in another lane.
 * @typedef {{ at: number, from: number, to: number }} Hop
 *
 * @typedef {{ lanes: Lane[], bars: Bar[], hops: Hop[], lead: number, ns: number }} Timeline
 */

/**
 * Returns the timeline of a commit: a lane for each thread whose work it waited for, its own first, then one for each device, and
 * the critical path through them.
 * @param {Exemplar} commit
 * @param {Exemplars} of
 * @param {Cells} records Start, nanoseconds, lane, word, waker.
 * @param {Record<string, string>} names Names of threads by their ids.
 * @returns {Timeline}
 */
function timelineOf(commit, of, records, names) {
  /** @type {Map<string, number>} */
  const places = new Map();
  /** @type {Lane[]} */
  const lanes = [];
  const laneOf = (/** @type {string} */ key, /** @type {string} */ name) => {
    const place = places.get(key) ?? lanes.push({ name, intervals: [] }) - 1;
    places.set(key, place);
    return place;
  };
  laneOf(String(commit.tid), threadName(commit.tid, "its own", names));
  const bars = criticalPath(commit, of.stacks, (tid, who) => laneOf(String(tid), threadName(tid, who, names)));
  const listed = commit.records?.lanes ?? [];
  const numbers = listed.map(({ tid, device }) =>
    device === undefined ? laneOf(String(tid), threadName(Number(tid), "", names)) : laneOf(device, `device ${device}`),
  );
  const lead = commit.records?.lead ?? 0;
  const [starts = [], lengths = [], placeOf = [], words = [], wakers = []] = records;
  starts.forEach((/** @type {number} */ start, /** @type {number} */ at) => {
    const interval = { from: start - lead, ns: lengths[at], word: of.words[words[at]], waker: wakers[at] };
    lanes[numbers[placeOf[at]]].intervals.push(interval);
  });
  return { lanes, bars, hops: hops(bars), lead, ns: commit.ns };
}

/**
 * Returns the words for a thread: its name, if the kernel had one, and what it was for the commit.
 * @param {number} tid
 * @param {string} who
 * @param {Record<string, string>} names
 * @returns {string}
 */
function threadName(tid, who, names) {
  const facts = [names[tid], who].filter(Boolean);
  return `thread ${tid}${facts.length ? ` (${facts.join(", ")})` : ""}`;
}

/**
 * Says what a commit was, and what is not drawn of it.
 * @param {Exemplar} commit
 * @param {number} count
 * @returns {string}
 */
function caption(commit, count) {
  const parts = [duration(commit.ns)];
  if (commit.shorter !== undefined) parts.push(`longer than ${((100 * commit.shorter) / count).toFixed(2)} % of all commits`);
  if (commit.stall !== undefined) parts.push(`in the stall from ${(commit.stall / 1e9).toFixed(1)} s`);
  parts.push(`ended at ${(commit.end / 1e9).toFixed(2)} s`, `thread ${commit.tid}`);
  if (commit.segments !== undefined) parts.push(`its ${grouped(commit.segments)} parts drawn as ${grouped(commit.parts.length)}: near ones of the same thread and stack are one`);
  if (!commit.records) parts.push("without what its threads did meanwhile, which had no room");
  if (commit.records?.is_cut) parts.push("without some of the records of further threads, before it, or the shortest ones");
  return parts.join(", ");
}

/** Most labels of the axis of a timeline. */
const MOST_TICKS = 8;

/**
 * Returns at most MOST_TICKS round times of a range, with 0.
 * @param {number} from
 * @param {number} to
 * @returns {number[]}
 */
function roundTimes(from, to) {
  let step = 1;
  while ((to - from) / step >= MOST_TICKS) step *= /^[15]0*$/.test(String(step)) ? 2 : 2.5;
  const times = [];
  for (let at = Math.ceil(from / step) * step; at < to; at += step) times.push(at || 0);
  return times;
}

/**
 * Returns the critical path. Parts of one thread with one stack that follow each other are one.
 * @param {Exemplar} commit
 * @param {Stack[]} stacks
 * @param {(tid: number, who: string) => number} laneOf
 * @returns {Bar[]}
 */
function criticalPath(commit, stacks, laneOf) {
  /** @type {Bar[]} */
  const bars = [];
  let from = 0;
  for (const [ns, tid, place] of commit.parts) {
    const stack = stacks[place];
    const lane = laneOf(tid, stack.who);
    const last = bars.at(-1);
    if (last && last.lane === lane && last.stack === stack) last.ns += ns;
    else bars.push({ from, ns, lane, stack });
    from += ns;
  }
  return bars;
}

/**
 * @param {Bar[]} bars
 * @returns {Hop[]}
 */
function hops(bars) {
  return bars.slice(1).flatMap((bar, at) => (bars[at].lane === bar.lane ? [] : [{ at: bar.from, from: bars[at].lane, to: bar.lane }]));
}

/**
 * Returns the commits of a selection.
 * @param {Exemplar[]} commits
 * @param {Rectangle} selection
 * @param {number} columnNs
 * @returns {Exemplar[]}
 */
function commitsIn(commits, selection, columnNs) {
  return commits.filter((commit) =>
    isIn(selection, Math.floor(commit.end / columnNs), Math.floor(rowOf(commit.ns) / ROWS_IN_BAND)),
  );
}

/**
 * Groups commits that waited at the same time: one belongs to the first of a group if it is at least half as long, and at least half of
 * it was meanwhile.
 * @param {Exemplar[]} commits The longest first.
 * @returns {Exemplar[][]}
 */
function atOnce(commits) {
  /** @type {Exemplar[][]} */
  const groups = [];
  for (const commit of commits) {
    const group = groups.find(([first]) => 2 * commit.ns >= first.ns && 2 * meanwhile(first, commit) >= commit.ns);
    if (group) group.push(commit);
    else groups.push([commit]);
  }
  return groups;
}

/**
 * Returns how long two commits were both under way.
 * @param {Exemplar} a
 * @param {Exemplar} b
 * @returns {number}
 */
function meanwhile(a, b) {
  return Math.max(0, Math.min(a.end, b.end) - Math.max(a.end - a.ns, b.end - b.ns));
}

/** Shares of the commits that are shorter than the typical ones that are shown first. */
const TYPICAL = [0.5, 0.9, 0.99, 0.999];

/**
 * Returns those of the typical commits that are nearest to the median and to the 90th, 99th and 99.9th percentile.
 * @param {Exemplar[]} commits
 * @param {number} count Number of all commits.
 * @returns {Exemplar[]}
 */
function nearPercentiles(commits, count) {
  const nines = (/** @type {number} */ share) => Math.log(Math.max(1 - share, 0.5 / count));
  const near = TYPICAL.map((share) => {
    const distance = (/** @type {Exemplar} */ { shorter = 0 }) => Math.abs(nines(shorter / count) - nines(share));
    return commits.reduce((best, other) => (distance(other) < distance(best) ? other : best), commits[0]);
  });
  return commits.filter((commit) => near.includes(commit));
}
