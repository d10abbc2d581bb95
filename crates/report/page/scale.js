// @ts-check
"use strict";

/** Rows of an octave of durations, and of a band of the causes: crates/common/src/over_time/latency_row.rs. */
const ROWS_IN_OCTAVE = 8;
const ROWS_IN_BAND = 4;

/**
 * Returns the shortest duration of a row in nanoseconds.
 * @param {number} row
 * @returns {number}
 */
function rowStart(row) {
  if (row < ROWS_IN_OCTAVE) return row;
  return (ROWS_IN_OCTAVE + (row % ROWS_IN_OCTAVE)) * 2 ** (Math.floor(row / ROWS_IN_OCTAVE) - 1);
}

/**
 * Returns the row of a duration in nanoseconds.
 * @param {number} ns
 * @returns {number}
 */
function rowOf(ns) {
  if (ns < ROWS_IN_OCTAVE) return Math.max(0, Math.floor(ns));
  let shift = Math.max(0, Math.floor(Math.log2(ns)) - 3);
  // The logarithm of a number just below a power of two may be that of the power.
  if (2 ** (shift + 3) > ns) shift -= 1;
  return ROWS_IN_OCTAVE * shift + Math.floor(ns / 2 ** shift);
}

/**
 * Formats a number with separated thousands.
 * @param {number} value
 * @returns {string}
 */
function grouped(value) {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ",");
}
