// @ts-check
"use strict";

/**
 * Part of a run: columns of time and bands of durations, each from the first to before the last.
 * @typedef {{ fromColumn: number, toColumn: number, fromBand: number, toBand: number }} Rectangle
 *
 * @typedef {{ who: string, file: string | null, op: string | null, wait: string, frames: string[] }} Stack
 *
 * @typedef {object} Run
 * @property {number} columnNs Width of a column of the causes.
 * @property {number} heatColumnNs Width of a column of the heat map.
 * @property {Stack[]} stacks
 * @property {Cells} causes Column, band, stack, nanoseconds, commits.
 * @property {Cells} commits Column, row, count.
 *
 * @typedef {{ who: string, file: string | null, op: string | null, wait: string, ns: number, restNs: number }} Cause
 *
 * @typedef {object} Sums
 * @property {number} commits Commits of the selection.
 * @property {number} ns Their time.
 * @property {number} restCommits All other commits.
 * @property {number} restNs Their time.
 * @property {Cause[]} causes Causes of the selection, the largest first; `restNs` is their time in all other commits.
 */

/**
 * Sums the commits and causes of a selection, and of all other commits.
 * @param {Run} run
 * @param {Rectangle} selection
 * @returns {Sums}
 */
function sums(run, selection) {
  const [commits, restCommits] = countCommits(run, selection);
  const [columns, bands, stacks, times] = run.causes;
  /** @type {Map<string, Cause>} */
  const byCause = new Map();
  const ofStack = run.stacks.map(({ who, file, op, wait }) => {
    const key = [who, file, op, wait].join("\n");
    const cause = byCause.get(key) ?? { who, file, op, wait, ns: 0, restNs: 0 };
    byCause.set(key, cause);
    return cause;
  });
  for (let at = 0; at < columns.length; at += 1) {
    const cause = ofStack[stacks[at]];
    if (isIn(selection, columns[at], bands[at])) cause.ns += times[at];
    else cause.restNs += times[at];
  }
  const all = [...byCause.values()];
  const causes = all.filter((cause) => cause.ns > 0).sort((a, b) => b.ns - a.ns);
  const ns = all.reduce((sum, cause) => sum + cause.ns, 0);
  return { commits, ns, restCommits, restNs: all.reduce((sum, cause) => sum + cause.restNs, 0), causes };
}

/**
 * Counts the commits of a selection, and all others.
 * @param {Run} run
 * @param {Rectangle} selection
 * @returns {[number, number]}
 */
function countCommits(run, selection) {
  const [columns, rows, counts] = run.commits;
  const ratio = run.columnNs / run.heatColumnNs;
  let inside = 0;
  let outside = 0;
  for (let at = 0; at < columns.length; at += 1) {
    const column = Math.floor(columns[at] / ratio);
    if (isIn(selection, column, Math.floor(rows[at] / ROWS_IN_BAND))) inside += counts[at];
    else outside += counts[at];
  }
  return [inside, outside];
}

/**
 * @param {Rectangle} selection
 * @param {number} column
 * @param {number} band
 * @returns {boolean}
 */
function isIn(selection, column, band) {
  return (
    column >= selection.fromColumn && column < selection.toColumn && band >= selection.fromBand && band < selection.toBand
  );
}

/**
 * Returns the causes without who worked: a commit and its leader wait for the same device.
 * @param {Cause[]} causes
 * @returns {Cause[]}
 */
function whoeverWorked(causes) {
  /** @type {Map<string, Cause>} */
  const merged = new Map();
  for (const { file, op, wait, ns, restNs } of causes) {
    const key = [file, op, wait].join("\n");
    const before = merged.get(key) ?? { who: "", file, op, wait, ns: 0, restNs: 0 };
    merged.set(key, { ...before, ns: before.ns + ns, restNs: before.restNs + restNs });
  }
  return [...merged.values()];
}

/**
 * Returns the causes for which a commit of the selection waited longer than another one, with the difference of the means in
 * nanoseconds, the largest first.
 * @param {Sums} found
 * @returns {{ cause: Cause, moreNs: number }[]}
 */
function moreThanRest(found) {
  if (found.commits === 0 || found.restCommits === 0) return [];
  const more = found.causes.map((cause) => ({
    cause,
    moreNs: cause.ns / found.commits - cause.restNs / found.restCommits,
  }));
  return more.filter(({ moreNs }) => moreNs > 0).sort((a, b) => b.moreNs - a.moreNs);
}

/**
 * Returns a selection within the run that has at least one column and one band.
 * @param {Rectangle} selection
 * @param {Rectangle} whole
 * @returns {Rectangle}
 */
function within(selection, whole) {
  /** @type {(from: number, to: number, first: number, last: number) => [number, number]} */
  const clamp = (from, to, first, last) => {
    const start = Math.min(Math.max(from, first), last - 1);
    return [start, Math.min(Math.max(to, start + 1), last)];
  };
  const [fromColumn, toColumn] = clamp(selection.fromColumn, selection.toColumn, whole.fromColumn, whole.toColumn);
  const [fromBand, toBand] = clamp(selection.fromBand, selection.toBand, whole.fromBand, whole.toBand);
  return { fromColumn, toColumn, fromBand, toBand };
}

/**
 * Returns the selection between two places, both included.
 * @param {{ column: number, band: number }} a
 * @param {{ column: number, band: number }} b
 * @returns {Rectangle}
 */
function between(a, b) {
  return {
    fromColumn: Math.min(a.column, b.column),
    toColumn: Math.max(a.column, b.column) + 1,
    fromBand: Math.min(a.band, b.band),
    toBand: Math.max(a.band, b.band) + 1,
  };
}
