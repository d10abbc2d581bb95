// @ts-check
"use strict";

/** Height of a lane, as in the style. */
const LANE_REM = 1.4;

/**
 * Draws the lanes: what each thread did as thin lines and boxes, and the critical path in colours.
 * @param {Timeline} timeline
 * @param {Record<string, string>} colors
 * @returns {HTMLElement}
 */
function drawLanes(timeline, colors) {
  const { lanes, bars, hops, lead, ns } = timeline;
  const percent = (/** @type {number} */ at) => `${(100 * at) / (lead + ns)}%`;
  const drawn = (/** @type {number} */ from, /** @type {number} */ length, /** @type {string} */ className) => {
    const made = element("i", "", className);
    made.style.left = percent(from + lead);
    made.style.width = percent(length);
    return made;
  };
  const tracks = lanes.map(() => element("div"));
  /** @type {{ box: Box, element: HTMLElement, words: string }[]} */
  const parts = [];
  const add = (/** @type {HTMLElement} */ made, /** @type {Box} */ box, /** @type {string} */ said) => {
    const words = `${lanes[box.row].name}: ${said}`;
    made.setAttribute("role", "gridcell");
    tracks[box.row].append(made);
    parts.push({ box, element: made, words });
  };
  // The critical path comes first, and so by the Tab key.
  for (const { from, ns: length, lane, stack } of bars) {
    const made = drawn(from, length, "path");
    made.style.background = colors[stack.wait];
    const frames = stack.frames.length ? `, in ${stack.frames.join(" › ")}` : "";
    add(made, { row: lane, from, to: from + length }, `critical path, ${words(stack)}, ${lasting(from, length)}${frames}`);
  }
  lanes.forEach(({ intervals }, row) => {
    for (const { from, ns: length, word, waker } of intervals) {
      const woken = waker ? `, woken by thread ${waker}` : "";
      add(drawn(from, length, look(word)), { row, from, to: from + length }, `${word}, ${lasting(from, length)}${woken}`);
    }
  });
  for (const { at, from, to } of hops) {
    const made = drawn(at, 0, "hop");
    made.style.height = `${Math.abs(to - from) * LANE_REM}rem`;
    tracks[Math.min(from, to)].append(made);
  }
  const made = element("div", "", "lanes");
  made.setAttribute("role", "grid");
  made.setAttribute("aria-label", "Threads and devices during the commit");
  made.append(...tracks.map((track, at) => laneRow(lanes[at].name, track)));
  const shown = element("div");
  shown.append(axis(lead, ns), made, roam(made, parts, false));
  return shown;
}

/** Place in percent of an axis from which on a label has no room. */
const LAST_PLACE = 82;

/**
 * Draws the axis of a timeline: round times from the start of the commit, which a screen reader has with each part.
 * @param {number} lead
 * @param {number} ns
 * @returns {HTMLElement}
 */
function axis(lead, ns) {
  const made = element("div", "", "lane lane-axis");
  const track = element("div");
  made.setAttribute("aria-hidden", "true");
  made.append(element("span"), track);
  for (const at of roundTimes(-lead, ns)) {
    const place = (100 * (at + lead)) / (lead + ns);
    if (place > LAST_PLACE) break;
    const tick = element("b", at === 0 ? "0" : duration(at));
    tick.style.left = `${place}%`;
    track.append(tick);
  }
  return made;
}

/**
 * @param {string} name
 * @param {HTMLElement} track
 * @returns {HTMLElement}
 */
function laneRow(name, track) {
  const made = element("div", "", "lane");
  made.setAttribute("role", "row");
  const head = element("span", name);
  head.setAttribute("role", "rowheader");
  made.append(head, track);
  return made;
}

/**
 * Says how long something took and when it began, from the start of the commit.
 * @param {number} from
 * @param {number} ns
 * @returns {string}
 */
function lasting(from, ns) {
  return `${duration(ns)} from ${from < 0 ? `${duration(-from)} before the commit` : duration(from)} on`;
}

/**
 * Returns how an interval is drawn.
 * @param {string} word
 * @returns {string}
 */
function look(word) {
  if (word === "commit") return "whole";
  if (word === "run queue") return "queued";
  return / (fsync|write)$/.test(word) || word === "flush" ? "call" : "blocked";
}

