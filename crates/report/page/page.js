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

/**
 * Lets the values of the pictures be read.
 * @param {Record<string, Chart>} charts By their ids.
 * @param {Record<string, { column_ns: number, cells: string }>} maps
 */
async function readValues(charts, maps) {
  for (const [id, chart] of Object.entries(charts)) readChart(part(id), chart);
  for (const [id, map] of Object.entries(maps)) readMap(part(id), cells(await unpack(map.cells), 3), map.column_ns, "request");
}

/** Opens a folded section to which the address leads. */
function unfold() {
  const id = location.hash.slice(1);
  const section = id ? document.getElementById(id) : null;
  const folded = section?.querySelector(":scope > details");
  if (folded instanceof HTMLDetailsElement) folded.open = true;
}

/** Reads the data of the page, lets its values be read, and commits be selected, if it has single ones. */
async function start() {
  document.querySelectorAll(".with-script").forEach((hint) => hint.removeAttribute("hidden"));
  unfold();
  window.addEventListener("hashchange", unfold);
  const { charts, maps } = JSON.parse(await inflated(part("pointed-values").textContent ?? "").text());
  await readValues(charts, maps);
  if (document.getElementById("over-time-data")) await startSelection();
}

async function startSelection() {
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
  readMap(part("heat-map"), run.commits, run.heatColumnNs, "commit");
  back.addEventListener("click", () => {
    picture.select(null);
    picture.plot.focus();
  });
  picture.select(selectionOf(location.hash, columnNs));
  window.addEventListener("hashchange", () => {
    const selection = selectionOf(location.hash, columnNs);
    // A link to a section changes no selection.
    if (selection || location.hash === "") picture.select(selection);
  });
}

void start();
