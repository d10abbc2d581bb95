// @ts-check
"use strict";

/**
 * Frame with the time in it, and the frames that it called; the wait of a frame that is one or that is below one.
 * @typedef {{ name: string, ns: number, wait?: string, below: Tree[] }} Tree
 */

/** Frames that are narrower than this share of the drawing are left out. */
const LEAST_SHARE = 0.002;

/**
 * Returns the tree of a selection's time: who worked, on which file, what was waited for, and the functions below.
 * @param {Run} run
 * @param {Rectangle} selection
 * @returns {Tree}
 */
function treeOf(run, selection) {
  const [columns, bands, stacks, times] = run.causes;
  const ofStack = new Float64Array(run.stacks.length);
  for (let at = 0; at < columns.length; at += 1) {
    if (isIn(selection, columns[at], bands[at])) ofStack[stacks[at]] += times[at];
  }
  /** @type {Tree} */
  const root = { name: "commit", ns: 0, below: [] };
  run.stacks.forEach((stack, at) => {
    if (ofStack[at] > 0) grow(root, stack, ofStack[at]);
  });
  order(root);
  return root;
}

/**
 * Adds the time of a stack to a tree.
 * @param {Tree} root
 * @param {Stack} stack
 * @param {number} ns
 */
function grow(root, { who, file, op, wait, frames }, ns) {
  const above = [who, ...(file === null ? [] : [`${file} ${op}`])];
  const names = [...above, wait, ...frames];
  let at = root;
  at.ns += ns;
  for (const [depth, name] of names.entries()) {
    let below = at.below.find((tree) => tree.name === name);
    if (!below) {
      below = { name, ns: 0, wait: depth < above.length ? undefined : wait, below: [] };
      at.below.push(below);
    }
    below.ns += ns;
    at = below;
  }
}

/**
 * Puts the largest first, on all levels.
 * @param {Tree} tree
 */
function order(tree) {
  tree.below.sort((a, b) => b.ns - a.ns);
  tree.below.forEach(order);
}

/**
 * Frame of a drawing: its box in nanoseconds, its wait, and the names of all frames above.
 * @typedef {{ box: Box, name: string, wait?: string, path: string }} Frame
 */

/** Frames that are narrower than this share of the drawing have no room for a name. */
const LEAST_NAMED = 0.025;

/** Height of a row, as in the style. */
const ROW_REM = 1.25;

/**
 * Returns the frames of a tree, the root first, without those that are too narrow to be seen.
 * @param {Tree} tree
 * @returns {Frame[]}
 */
function framesOf(tree) {
  /** @type {Frame[]} */
  const frames = [];
  const add = (/** @type {Tree} */ { name, ns, wait, below }, /** @type {number} */ row, /** @type {number} */ from, /** @type {string} */ path) => {
    frames.push({ box: { row, from, to: from + ns }, name, wait, path });
    const names = path ? `${path} › ${name}` : name;
    let left = from;
    for (const part of below) {
      if (part.ns < LEAST_SHARE * tree.ns) break;
      add(part, row + 1, left, names);
      left += part.ns;
    }
  };
  add(tree, 0, 0, "");
  return frames;
}

/**
 * Draws a tree, the root at the top. Arrows lead from frame to frame. The frames are one list, as boxes within each other take a
 * browser many times as long to lay out, and this is drawn while the pointer is dragged.
 * @param {Tree} tree
 * @param {Record<string, string>} colors Colours of the waits.
 * @returns {HTMLElement}
 */
function icicle(tree, colors) {
  const picture = element("div", "", "icicle");
  picture.setAttribute("role", "tree");
  picture.setAttribute("aria-label", "Flame graph of these commits");
  // As in a picture: down to the parts of a frame, up to the whole.
  picture.setAttribute("aria-orientation", "horizontal");
  const frames = framesOf(tree);
  const parts = frames.map(({ box, name, wait, path }) => {
    const share = (box.to - box.from) / tree.ns;
    const made = element("div", share < LEAST_NAMED ? "" : name);
    made.style.cssText = `left:${(100 * box.from) / tree.ns}%;width:${100 * share}%;top:${box.row * ROW_REM}rem`;
    if (wait) made.style.setProperty("--wait", colors[wait]);
    made.setAttribute("role", "treeitem");
    made.setAttribute("aria-level", String(box.row + 1));
    const words = `${name}: ${duration(box.to - box.from)}, ${(100 * share).toFixed(1)} %${path && `, in ${path}`}`;
    return { box, element: made, words };
  });
  picture.append(...parts.map(({ element }) => element));
  picture.style.height = `${(Math.max(...frames.map(({ box }) => box.row)) + 1) * ROW_REM}rem`;
  const drawing = element("div");
  drawing.append(picture, roam(picture, parts, true));
  return drawing;
}
