// @ts-check
"use strict";

/** Way of a finger from which on it means something, in pixels. */
const MEANT_PX = 12;

/** How much further sideways than up or down a finger goes that means to select: a diagonal way is not clear. */
const SIDEWAYS = 2;

/**
 * Returns what a finger means that went so far: nothing yet, to select a time, or to scroll.
 * @param {number} right
 * @param {number} down
 * @returns {"nothing" | "select" | "scroll"}
 */
function meant(right, down) {
  if (Math.hypot(right, down) < MEANT_PX) return "nothing";
  return Math.abs(right) >= SIDEWAYS * Math.abs(down) ? "select" : "scroll";
}
