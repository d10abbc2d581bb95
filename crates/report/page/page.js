// @ts-check
"use strict";

/**
 * Returns an element that the page must have.
 * @param {string} id
 * @returns {HTMLElement}
 */
function part(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no ${id}`);
  return found;
}

/** Puts the selection into the address, so that a copy of the address shows it. */
function remember(/** @type {Rectangle | null} */ selection, /** @type {number} */ columnNs) {
  const address = selection ? `#${fragment(selection, columnNs)}` : location.pathname + location.search;
  history.replaceState(null, "", address);
}

/** Rest of the pointer after which the timelines of a selection are drawn while it is still dragged. */
const PAUSE_MS = 200;

/** Reads the data of the page, and lets commits be selected. */
async function start() {
  const { over_time, colors } = JSON.parse(await inflated(part("over-time-data").textContent ?? "").text());
  const { commits, causes, slowest, typical, stalls, threads } = over_time;
  const columnNs = causes.column_ns;
  const run = {
    columnNs,
    heatColumnNs: commits.column_ns,
    stacks: causes.stacks,
    causes: cells(await unpack(causes.cells), 5),
    commits: cells(await unpack(commits.cells), 3),
  };
  const [result, causesPart, slow] = [part("selection"), part("selection-causes"), part("slowest")];
  document.querySelectorAll(".with-script").forEach((hint) => hint.removeAttribute("hidden"));
  const back = element("button", "Show all commits");
  const count = run.commits[2].reduce((sum, cell) => sum + cell, 0);
  const kinds = { Slowest: slowest, Typical: typical, "In stalls": stalls };
  let pause = 0;
  const exemplars = new ExemplarView(slow, kinds, { colors, columnNs, count, threads });
  const picture = new Picture(part("heat-map"), columnNs, (selection, isDone) => {
    result.hidden = causesPart.hidden = selection === null;
    const found = selection && resultOf(run, selection, picture.whole, colors);
    result.replaceChildren(...(found ? [found.heading, found.sentence, back] : []));
    causesPart.replaceChildren(...(found ? found.causes : []));
    clearTimeout(pause);
    // Timelines take longer to draw than a frame of the screen.
    if (!isDone) pause = setTimeout(() => exemplars.show(selection, picture.whole), PAUSE_MS);
    else {
      exemplars.show(selection, picture.whole);
      remember(selection, columnNs);
    }
  });
  back.addEventListener("click", () => {
    picture.select(null);
    picture.plot.focus();
  });
  const restore = () => picture.select(selectionOf(location.hash, columnNs));
  window.addEventListener("hashchange", restore);
  restore();
}

void start();
