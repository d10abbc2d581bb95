// @ts-check
"use strict";

/** Share of a difference that the sentence names, and the most causes in it. */
const NAMED_SHARE = 0.8;
const MOST_NAMED = 3;

/**
 * Returns what is to be said of a selection: which commits it has, how they differ from all others, and their causes as a flame
 * graph and a table.
 * @param {Run} run
 * @param {Rectangle} selection
 * @param {Rectangle} whole The whole run.
 * @param {Record<string, string>} colors Colours of the waits.
 * @returns {{ heading: HTMLElement, sentence: HTMLElement, causes: HTMLElement[] }}
 */
function resultOf(run, selection, whole, colors) {
  const found = sums(run, selection);
  const tree = treeOf(run, selection);
  return {
    heading: element("h3", title(selection, whole, run.columnNs, found)),
    sentence: element("p", difference(found)),
    causes: [element("h3", "Causes of the selected commits"), ...(tree.ns > 0 ? [icicle(tree, colors)] : []), causeTable(found)],
  };
}

/**
 * @param {Rectangle} selection
 * @param {Rectangle} whole
 * @param {number} columnNs
 * @param {Sums} found
 * @returns {string}
 */
function title(selection, whole, columnNs, found) {
  const seconds = (/** @type {number} */ column) => `${Number(((column * columnNs) / 1e9).toFixed(1))} s`;
  const length = (/** @type {number} */ band) => duration(rowStart(band * ROWS_IN_BAND));
  const when = `${seconds(selection.fromColumn)} to ${seconds(selection.toColumn)}`;
  const isAll = selection.fromBand <= whole.fromBand && selection.toBand >= whole.toBand;
  const what = isAll ? "all durations" : `durations from ${length(selection.fromBand)} to ${length(selection.toBand)}`;
  const commits = `${grouped(found.commits)} ${found.commits === 1 ? "commit" : "commits"}`;
  const mean = found.commits ? `, mean ${duration(found.ns / found.commits)}` : "";
  return `${when}, ${what}: ${commits}${mean}`;
}

/**
 * Says how much longer a commit of the selection took than the mean of all others, and for which causes. The parts sum to the
 * difference.
 * @param {Sums} found
 * @returns {string}
 */
function difference(found) {
  const more = moreThanRest({ ...found, causes: whoeverWorked(found.causes) });
  if (more.length === 0) return "";
  const all = more.reduce((sum, { moreNs }) => sum + moreNs, 0);
  const longerNs = found.ns / found.commits - found.restNs / found.restCommits;
  const parts = [];
  let named = 0;
  for (const { cause, moreNs } of more) {
    if (parts.length === MOST_NAMED || named >= NAMED_SHARE * all) break;
    named += moreNs;
    parts.push(`${duration(moreNs)} more for ${words(cause)}`);
  }
  const othersNs = longerNs - named;
  const others = `${duration(Math.abs(othersNs))} ${othersNs < 0 ? "less" : "more"} for the other causes`;
  const whole = `${duration(Math.abs(longerNs))} ${longerNs < 0 ? "less" : "longer"}`;
  return `A commit here took ${whole} than the mean of all others: ${[...parts, others].join(", ")}.`;
}

/**
 * @param {Sums} found
 * @returns {HTMLElement}
 */
function causeTable(found) {
  const rows = found.causes.map((cause) => [
    cause.file ?? "",
    cause.op ?? "",
    cause.wait,
    cause.who,
    duration(cause.ns / found.commits),
    `${((100 * cause.ns) / found.ns).toFixed(1)} %`,
    found.restCommits ? duration(cause.restNs / found.restCommits) : "",
  ]);
  const head = ["file", "op", "wait", "who", "mean", "share", "mean of all others"];
  const table = wideTable(head, rows, 4);
  table.dataset.ns = String(found.ns);
  return table;
}
