// @ts-check
"use strict";

/** Most slow commits that are drawn. */
const MOST_DRAWN = 5;

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

/** Reads the data of the page, and lets commits be selected. */
async function start() {
  const { over_time, colors } = JSON.parse(part("over-time-data").textContent ?? "");
  const { commits, causes, slowest } = over_time;
  const columnNs = causes.column_ns;
  const run = {
    columnNs,
    heatColumnNs: commits.column_ns,
    stacks: causes.stacks,
    causes: cells(await unpack(causes.cells), 5),
    commits: cells(await unpack(commits.cells), 3),
  };
  const [result, slow] = [part("selection"), part("slowest")];
  document.querySelectorAll(".with-script").forEach((hint) => hint.removeAttribute("hidden"));
  const back = element("button", "Show all commits");
  const picture = new Picture(part("heat-map"), columnNs, (selection, isDone) => {
    result.hidden = selection === null;
    result.replaceChildren(...(selection ? [...resultOf(run, selection), back] : []));
    const found = slowIn(slowest, selection ?? picture.whole, columnNs).slice(0, MOST_DRAWN);
    slow.replaceChildren(...found.map((commit) => timeline(commit, slowest.stacks, colors)));
    slow.parentElement?.toggleAttribute("hidden", found.length === 0);
    if (isDone) remember(selection, columnNs);
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
