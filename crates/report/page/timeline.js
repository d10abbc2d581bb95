// @ts-check
"use strict";

/**
 * @typedef {{ end: number, ns: number, tid: number, parts: [number, number, number][] }} SlowCommit
 *
 * @typedef {{ stacks: Stack[], commits: SlowCommit[] }} Slowest
 *
 * @typedef {{ from: number, ns: number, stack: Stack }} Bar
 *
 * @typedef {{ tid: number, who: string, bars: Bar[] }} Lane
 */

/**
 * Returns a lane for each thread that a commit waited for, its own first, with the times at which it did.
 * @param {SlowCommit} commit
 * @param {Stack[]} stacks
 * @returns {Lane[]}
 */
function lanes(commit, stacks) {
  /** @type {Map<number, Lane>} */
  const byThread = new Map([[commit.tid, { tid: commit.tid, who: "own", bars: [] }]]);
  let from = 0;
  for (const [ns, tid, place] of commit.parts) {
    const stack = stacks[place];
    const lane = byThread.get(tid) ?? { tid, who: stack.who, bars: [] };
    byThread.set(tid, lane);
    const last = lane.bars.at(-1);
    if (last && last.stack === stack && last.from + last.ns === from) last.ns += ns;
    else lane.bars.push({ from, ns, stack });
    from += ns;
  }
  return [...byThread.values()];
}

/**
 * Returns the slow commits of a selection.
 * @param {Slowest} slowest
 * @param {Rectangle} selection
 * @param {number} columnNs
 * @returns {SlowCommit[]}
 */
function slowIn(slowest, selection, columnNs) {
  return slowest.commits.filter((commit) =>
    isIn(selection, Math.floor(commit.end / columnNs), Math.floor(rowOf(commit.ns) / ROWS_IN_BAND)),
  );
}
