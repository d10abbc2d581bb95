// @ts-check
"use strict";

/**
 * Box of a picture: its row from the top, and its left and right end in any unit.
 * @typedef {{ row: number, from: number, to: number }} Box
 */

/** Keys that lead from one box to another. */
const ARROWS = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"];

/**
 * Returns the place of the box to which a key leads, or -1 if there is none: left and right within a row, up and down to what is
 * nearest to the left end, Home and End to the ends of the row.
 * @param {Box[]} boxes
 * @param {number} at
 * @param {string} key
 * @param {boolean} isStacked Whether up and down lead only to boxes that touch, as in a flame graph, where those below are parts.
 * @returns {number}
 */
function neighbour(boxes, at, key, isStacked) {
  const box = boxes[at];
  if (key === "ArrowUp" || key === "ArrowDown") {
    const down = key === "ArrowDown" ? 1 : -1;
    // A row without boxes is passed over.
    const distances = boxes.map(({ row }) => (row - box.row) * down).filter((distance) => distance > 0);
    const others = inRow(boxes, box.row + down * Math.min(...distances));
    const near = others.filter((other) => !isStacked || (boxes[other].from < box.to && box.from < boxes[other].to));
    const distance = (/** @type {number} */ other) => away(boxes[other], box.from);
    return near.reduce((best, other) => (best < 0 || distance(other) <= distance(best) ? other : best), -1);
  }
  const row = inRow(boxes, box.row);
  const place = row.indexOf(at);
  /** @type {Record<string, number>} */
  const wanted = { ArrowLeft: place - 1, ArrowRight: place + 1, Home: 0, End: row.length - 1 };
  return row[wanted[key]] ?? -1;
}

/**
 * Returns the places of the boxes of a row from left to right, the wider one first where two begin together.
 * @param {Box[]} boxes
 * @param {number} row
 * @returns {number[]}
 */
function inRow(boxes, row) {
  const places = [...boxes.keys()].filter((at) => boxes[at].row === row);
  return places.sort((a, b) => boxes[a].from - boxes[b].from || boxes[b].to - boxes[a].to);
}

/**
 * Returns how far a box is from a point of the axis.
 * @param {Box} box
 * @param {number} point
 * @returns {number}
 */
function away(box, point) {
  return Math.max(box.from - point, point - box.to, 0);
}

/**
 * Lets arrows move the focus from box to box of a picture. Only one of them is reached by the Tab key: the first, or where the focus
 * was last. The words of the box that has the focus, or that the pointer is over, are in a line below the picture; those below the
 * pointer are also beside it.
 * @param {HTMLElement} picture
 * @param {{ box: Box, element: HTMLElement, words: string }[]} parts
 * @param {boolean} isStacked
 * @returns {HTMLElement} The line.
 */
function roam(picture, parts, isStacked) {
  const boxes = parts.map(({ box }) => box);
  const places = new Map(parts.map(({ element }, at) => [/** @type {EventTarget} */ (element), at]));
  const line = element("p", "", "said");
  // A screen reader says the name of the box already.
  line.setAttribute("aria-live", "off");
  for (const { element, words } of parts) element.setAttribute("aria-label", words);
  let reached = 0;
  if (parts.length > 0) parts[0].element.tabIndex = 0;
  const partOf = (/** @type {Event} */ event) => {
    const path = event.composedPath().map((target) => places.get(target));
    return path.find((at) => at !== undefined);
  };
  picture.addEventListener("focusin", (event) => {
    const at = partOf(event);
    if (at !== undefined) line.textContent = parts[at].words;
  });
  showBelowPointer(picture, (event) => {
    const at = partOf(event);
    if (at === undefined) return null;
    line.textContent = parts[at].words;
    return { heading: parts[at].words, lines: [] };
  });
  picture.addEventListener("keydown", (event) => {
    const at = partOf(event);
    if (at === undefined || !ARROWS.includes(event.key) || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const next = neighbour(boxes, at, event.key, isStacked);
    if (next < 0) return;
    parts[reached].element.tabIndex = -1;
    parts[next].element.tabIndex = 0;
    parts[next].element.focus();
    reached = next;
  });
  return line;
}
