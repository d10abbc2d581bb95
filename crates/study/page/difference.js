// @ts-check
"use strict";

/**
 * @typedef {{ cause: string, wait: string, mean: number }} CellCause Cause of a cell, with its mean in nanoseconds.
 * @typedef {{ name: string, causes: CellCause[] }} StudyCell Cell of the study.
 * @typedef {{ cause: string, wait: string, from: number, to: number }} Difference Cause in two cells, in nanoseconds.
 */

/**
 * Returns the causes of two cells side by side, the largest difference first. Their differences add up to that of the means.
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
  return [...rows.values()].sort((one, other) => size(other) - size(one));
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
