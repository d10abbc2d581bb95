// @ts-check
"use strict";

/**
 * Formats nanoseconds with three digits, as all of logtrace does.
 * @param {number} ns
 * @returns {string}
 */
function duration(ns) {
  const units = ["ns", "us", "ms", "s"];
  let value = ns;
  let unit = 0;
  while (unit < units.length - 1 && Math.abs(value) >= 999.5) {
    value /= 1000;
    unit += 1;
  }
  const digits = unit === 0 || Math.abs(value) >= 99.95 ? 0 : Math.abs(value) >= 9.995 ? 1 : 2;
  return `${value.toFixed(digits)} ${units[unit]}`;
}
