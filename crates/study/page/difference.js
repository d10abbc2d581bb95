// @ts-check
"use strict";

/**
 * @typedef {{ cause: string, wait: string, mean: number }} CellCause Cause of a cell, with its mean in nanoseconds.
 * @typedef {{ name: string, causes: CellCause[] }} StudyCell Cell of the study.
 * @typedef {{ cause: string, wait: string, from: number, to: number }} Difference Cause in two cells, in nanoseconds.
 */

/** Part of the largest difference below which differences become one row. */
const SMALLEST = 0.01;

/**
 * Returns the causes of two cells side by side, the largest difference first, and the small ones as one. Their differences add up to that of the means.
 * @param {CellCause[]} from
 * @param {CellCause[]} to
 * @returns {Difference[]}
 */
function differences(from, to) {
  /** @type {Map<string, Difference>} */
  const rows = new Map();
  const row = (/** @type {CellCause} */ { cause, wait }) => {
    const found = rows.get(cause) ?? { cause, wait, from: 0, to: 0 };
    rows.set(cause, found);
    return found;
  };
  for (const one of from) row(one).from += one.mean;
  for (const one of to) row(one).to += one.mean;
  const size = (/** @type {Difference} */ one) => Math.abs(one.to - one.from);
  const sorted = [...rows.values()].sort((one, other) => size(other) - size(one));
  const small = sorted.filter((one) => size(one) < SMALLEST * size(sorted[0]));
  if (small.length < 2) return sorted;
  const sum = (/** @type {"from" | "to"} */ side) => small.reduce((all, one) => all + one[side], 0);
  const others = { cause: `${small.length} smaller`, wait: "", from: sum("from"), to: sum("to") };
  return [...sorted.slice(0, -small.length), others];
}

/**
 * Returns the names of the cells in the fragment of an address.
 * @param {string} text
 * @returns {string[]}
 */
function cellsOf(text) {
  const found = /^#?from=([^&]*)&to=([^&]*)$/.exec(text);
  return found ? found.slice(1).map(decodeURIComponent) : [];
}
