// @ts-check
"use strict";

/**
 * Frame with the time in it, and the frames that it called.
 * @typedef {{ name: string, ns: number, below: Tree[] }} Tree
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
    if (ofStack[at] > 0) grow(root, path(stack), ofStack[at]);
  });
  order(root);
  return root;
}

/**
 * @param {Stack} stack
 * @returns {string[]}
 */
function path({ who, file, op, wait, frames }) {
  return [who, ...(file === null ? [] : [`${file} ${op}`]), wait, ...frames];
}

/**
 * Adds the time of a stack to a tree.
 * @param {Tree} root
 * @param {string[]} names
 * @param {number} ns
 */
function grow(root, names, ns) {
  let at = root;
  at.ns += ns;
  for (const name of names) {
    let below = at.below.find((tree) => tree.name === name);
    if (!below) {
      below = { name, ns: 0, below: [] };
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
 * Draws a tree, the root at the top: nested lists, whose widths are the shares of the time. Arrows lead from frame to frame.
 * @param {Tree} tree
 * @returns {HTMLElement}
 */
function icicle(tree) {
  const picture = element("div", "", "icicle");
  picture.setAttribute("role", "tree");
  picture.setAttribute("aria-label", "Flame graph of these commits");
  // As in a picture: down to the parts of a frame, up to the whole.
  picture.setAttribute("aria-orientation", "horizontal");
  /** @type {{ box: Box, element: HTMLElement, words: string }[]} */
  const frames = [];
  picture.append(frameOf(tree, { above: null, row: 0, from: 0, path: "" }, tree.ns, frames));
  const made = element("div");
  made.append(picture, roam(picture, frames, true));
  return made;
}

/**
 * Draws a frame with all below it, and adds them to a list.
 * @param {Tree} tree
 * @param {{ above: Tree | null, row: number, from: number, path: string }} place The frame above, the nanoseconds to the left, and the
 *   names of all frames above.
 * @param {number} allNs
 * @param {{ box: Box, element: HTMLElement, words: string }[]} frames
 * @returns {HTMLElement}
 */
function frameOf(tree, { above, row, from, path }, allNs, frames) {
  const made = element("div");
  made.style.width = `${(100 * tree.ns) / (above ?? tree).ns}%`;
  made.setAttribute("role", "treeitem");
  const share = `${((100 * tree.ns) / allNs).toFixed(1)} %`;
  const words = `${tree.name}: ${duration(tree.ns)}, ${share}${path && `, in ${path}`}`;
  frames.push({ box: { row, from, to: from + tree.ns }, element: made, words });
  const name = element("span", tree.name);
  name.title = words;
  made.append(name);
  const wide = tree.below.filter((below) => below.ns >= LEAST_SHARE * allNs);
  if (wide.length > 0) {
    made.setAttribute("aria-expanded", "true");
    const group = element("div", "", "below");
    group.setAttribute("role", "group");
    let left = from;
    for (const below of wide) {
      const names = path ? `${path} › ${tree.name}` : tree.name;
      group.append(frameOf(below, { above: tree, row: row + 1, from: left, path: names }, allNs, frames));
      left += below.ns;
    }
    made.append(group);
  }
  return made;
}
