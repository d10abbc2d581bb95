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
 * Draws a tree, the root at the top: nested lists, whose widths are the shares of the time.
 * @param {Tree} tree
 * @param {number} allNs
 * @returns {HTMLElement}
 */
function icicle(tree, allNs) {
  const made = element("div");
  made.style.width = `${(100 * tree.ns) / allNs}%`;
  const name = element("span", tree.name);
  name.title = `${tree.name}: ${duration(tree.ns)}`;
  made.append(name);
  const wide = tree.below.filter((below) => below.ns >= LEAST_SHARE * tree.ns);
  if (wide.length > 0) {
    const below = element("div", "", "below");
    below.append(...wide.map((part) => icicle(part, tree.ns)));
    made.append(below);
  }
  return made;
}
