// @ts-check
"use strict";

/**
 * Draws a slow commit: a lane for each thread whose work it waited for, and in them when it did.
 * @param {SlowCommit} commit
 * @param {Stack[]} stacks
 * @param {Record<string, string>} colors Colours of the waits.
 * @returns {HTMLElement}
 */
function timeline(commit, stacks, colors) {
  const made = element("figure");
  const end = `${(commit.end / 1e9).toFixed(2)} s`;
  made.append(element("figcaption", `${duration(commit.ns)}, ended at ${end}, thread ${commit.tid}`));
  for (const lane of lanes(commit, stacks)) {
    const track = element("div");
    track.append(...lane.bars.map((bar) => drawBar(bar, commit.ns, colors)));
    const line = element("div", "", "lane");
    line.append(element("span", `${lane.who} ${lane.tid}`), track);
    made.append(line);
  }
  return made;
}

/**
 * @param {Bar} bar
 * @param {number} allNs
 * @param {Record<string, string>} colors
 * @returns {HTMLElement}
 */
function drawBar({ from, ns, stack }, allNs, colors) {
  const made = element("i");
  made.style.left = `${(100 * from) / allNs}%`;
  made.style.width = `${(100 * ns) / allNs}%`;
  made.style.background = colors[stack.wait];
  made.title = `${words(stack)}: ${duration(ns)}\n${stack.frames.join("\n")}`;
  return made;
}
