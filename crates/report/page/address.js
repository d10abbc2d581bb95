// @ts-check
"use strict";

/**
 * Returns the fragment of an address that names a selection: seconds, and microseconds of duration.
 * @param {Rectangle} selection
 * @param {number} columnNs
 * @returns {string}
 */
function fragment(selection, columnNs) {
  const seconds = [selection.fromColumn, selection.toColumn].map((column) => (column * columnNs) / 1e9);
  const durations = [selection.fromBand, selection.toBand].map((band) => rowStart(band * ROWS_IN_BAND) / 1e3);
  return `t=${seconds.join("-")}&d=${durations.join("-")}`;
}

/**
 * Returns the selection that a fragment names, if it names one. Without durations it has all of them.
 * @param {string} text
 * @param {number} columnNs
 * @returns {Rectangle | null}
 */
function selectionOf(text, columnNs) {
  const number = "(\\d+(?:\\.\\d+)?)";
  const found = new RegExp(`^#?t=${number}-${number}(?:&d=${number}-${number})?$`).exec(text);
  if (!found) return null;
  const [fromS, toS] = found.slice(1).map(Number);
  const band = (/** @type {string} */ us) => Math.round(rowOf(Number(us) * 1e3) / ROWS_IN_BAND);
  const [fromUs, toUs] = found.slice(3);
  return {
    fromColumn: Math.round((fromS * 1e9) / columnNs),
    toColumn: Math.round((toS * 1e9) / columnNs),
    fromBand: fromUs ? band(fromUs) : 0,
    toBand: toUs ? band(toUs) : Number.MAX_SAFE_INTEGER,
  };
}
