// @ts-check
"use strict";

/** Share of a difference that the sentence names, and the most causes in it. */
const NAMED_SHARE = 0.8;
const MOST_NAMED = 3;

/** Most slow commits that are drawn. */
const MOST_DRAWN = 5;

/** Page with a picture in which commits can be selected. */
class Page {
  /**
   * @param {Run} run
   * @param {HTMLElement} plot
   * @param {HTMLElement} result
   * @param {HTMLElement} slow
   * @param {Slowest} slowest
   * @param {Record<string, string>} colors
   */
  constructor(run, plot, result, slow, slowest, colors) {
    this.run = run;
    this.slow = slow;
    this.slowest = slowest;
    this.colors = colors;
    this.plot = plot;
    this.result = result;
    this.endNs = Number(plot.dataset.end);
    this.firstRow = Number(plot.dataset.first);
    this.rows = Number(plot.dataset.last) - this.firstRow + 1;
    /** @type {Selection} */
    this.whole = {
      fromColumn: 0,
      toColumn: Math.ceil(this.endNs / run.columnNs),
      fromBand: Math.floor(this.firstRow / ROWS_IN_BAND),
      toBand: Math.floor((this.firstRow + this.rows - 1) / ROWS_IN_BAND) + 1,
    };
    /** @type {Selection | null} */
    this.selection = null;
    this.frame = document.createElement("div");
    this.frame.className = "selected";
    this.frame.hidden = true;
    plot.append(this.frame);
    this.listen();
    this.restore();
  }

  listen() {
    const { plot } = this;
    plot.addEventListener("pointerdown", (event) => this.begin(event));
    plot.addEventListener("pointermove", (event) => this.move(event));
    plot.addEventListener("pointerup", () => this.end());
    plot.addEventListener("pointercancel", () => this.end());
    plot.addEventListener("keydown", (event) => this.key(event));
    window.addEventListener("hashchange", () => this.restore());
  }

  /** Takes the selection from the address of the page. */
  restore() {
    const named = selectionOf(location.hash, this.run.columnNs);
    this.show(named && within(named, this.whole));
  }

  /** @param {PointerEvent} event */
  begin(event) {
    if (event.button !== 0) return;
    this.start = this.place(event);
    this.plot.setPointerCapture(event.pointerId);
    this.show(this.between(this.start, this.start));
  }

  /** @param {PointerEvent} event */
  move(event) {
    if (this.start) this.show(this.between(this.start, this.place(event)));
  }

  end() {
    this.start = null;
    this.remember();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const step = steps[/** @type {keyof typeof steps} */ (event.key)];
    if (event.key === "Escape") this.show(null);
    else if (step) this.step(step[0], step[1], event.shiftKey);
    else return;
    event.preventDefault();
    this.remember();
  }

  /**
   * Moves the selection, or its end alone. Without a selection the first step selects the end of the run with all durations.
   * @param {number} columns
   * @param {number} bands
   * @param {boolean} isEnd
   */
  step(columns, bands, isEnd) {
    const at = this.selection ?? { ...this.whole, fromColumn: this.whole.toColumn };
    const moved = isEnd ? 0 : 1;
    const next = {
      fromColumn: at.fromColumn + moved * columns,
      toColumn: at.toColumn + columns,
      fromBand: at.fromBand + moved * bands,
      toBand: at.toBand + bands,
    };
    this.show(within(next, this.whole));
  }

  /**
   * Returns the column and the band at a pointer.
   * @param {PointerEvent} event
   */
  place(event) {
    const box = this.plot.getBoundingClientRect();
    const right = (event.clientX - box.left) / box.width;
    const up = (box.bottom - event.clientY) / box.height;
    return {
      column: Math.floor((right * this.endNs) / this.run.columnNs),
      band: Math.floor((this.firstRow + up * this.rows) / ROWS_IN_BAND),
    };
  }

  /**
   * Returns the selection between two places, both included.
   * @param {{ column: number, band: number }} a
   * @param {{ column: number, band: number }} b
   */
  between(a, b) {
    return within(
      {
        fromColumn: Math.min(a.column, b.column),
        toColumn: Math.max(a.column, b.column) + 1,
        fromBand: Math.min(a.band, b.band),
        toBand: Math.max(a.band, b.band) + 1,
      },
      this.whole,
    );
  }

  /** Puts the selection into the address, so that a copy of the address shows it. */
  remember() {
    const hash = this.selection ? `#${fragment(this.selection, this.run.columnNs)}` : " ";
    history.replaceState(null, "", hash === " " ? location.pathname + location.search : hash);
  }

  /** @param {Selection | null} selection */
  show(selection) {
    this.selection = selection;
    this.frame.hidden = selection === null;
    this.result.hidden = selection === null;
    this.drawSlowest(selection ?? this.whole);
    if (selection === null) {
      this.result.replaceChildren();
      return;
    }
    this.drawFrame(selection);
    const found = sums(this.run, selection);
    this.result.replaceChildren(
      element("h3", this.title(selection, found)),
      element("p", this.difference(found)),
      this.flameGraph(selection),
      this.table(found),
      this.button(),
    );
  }

  /** @param {Selection} selection */
  drawFrame(selection) {
    const x = (/** @type {number} */ column) => (100 * column * this.run.columnNs) / this.endNs;
    const y = (/** @type {number} */ band) => (100 * (band * ROWS_IN_BAND - this.firstRow)) / this.rows;
    const percent = (/** @type {number} */ value) => `${Math.min(Math.max(value, 0), 100)}%`;
    this.frame.style.left = percent(x(selection.fromColumn));
    this.frame.style.right = percent(100 - x(selection.toColumn));
    this.frame.style.bottom = percent(y(selection.fromBand));
    this.frame.style.top = percent(100 - y(selection.toBand));
  }

  /**
   * @param {Selection} selection
   * @param {Sums} found
   */
  title(selection, found) {
    const seconds = (/** @type {number} */ column) => `${Number(((column * this.run.columnNs) / 1e9).toFixed(1))} s`;
    const length = (/** @type {number} */ band) => duration(rowStart(band * ROWS_IN_BAND));
    const when = `${seconds(selection.fromColumn)} to ${seconds(selection.toColumn)}`;
    const what = `${length(selection.fromBand)} to ${length(selection.toBand)}`;
    const commits = `${grouped(found.commits)} ${found.commits === 1 ? "commit" : "commits"}`;
    const mean = found.commits ? `, mean ${duration(found.ns / found.commits)}` : "";
    return `${when}, ${what}: ${commits}${mean}`;
  }

  /** @param {Sums} found */
  difference(found) {
    const more = moreThanRest(found);
    const all = more.reduce((sum, { moreNs }) => sum + moreNs, 0);
    const longerNs = found.ns / found.commits - found.restNs / found.restCommits;
    if (more.length === 0) return "";
    const parts = [];
    let named = 0;
    for (const { cause, moreNs } of more) {
      if (parts.length === MOST_NAMED || named >= NAMED_SHARE * all) break;
      named += moreNs;
      parts.push(`${duration(moreNs)} more for ${words(cause)}`);
    }
    const othersNs = longerNs - named;
    if (more.length > parts.length) parts.push(`${duration(Math.abs(othersNs))} ${othersNs < 0 ? "less" : "more"} for the other causes`);
    const whole = `${duration(Math.abs(longerNs))} ${longerNs < 0 ? "less" : "longer"}`;
    return `A commit here took ${whole} than the mean of all others: ${parts.join(", ")}.`;
  }

  /** @param {Sums} found */
  table(found) {
    const head = ["file", "op", "wait", "who", "mean", "share", "mean of all others"];
    const rows = found.causes.map((cause) => [
      cause.file ?? "",
      cause.op ?? "",
      cause.wait,
      cause.who,
      duration(cause.ns / found.commits),
      `${((100 * cause.ns) / found.ns).toFixed(1)} %`,
      found.restCommits ? duration(cause.restNs / found.restCommits) : "",
    ]);
    const table = element("table", "");
    table.append(row("th", head), ...rows.map((cells) => row("td", cells)));
    table.dataset.ns = String(found.ns);
    const wide = element("div", "");
    wide.className = "wide";
    wide.tabIndex = 0;
    wide.append(table);
    return wide;
  }

  /** @param {Selection} selection */
  drawSlowest(selection) {
    const found = slowIn(this.slowest, selection, this.run.columnNs).slice(0, MOST_DRAWN);
    this.slow.replaceChildren(...found.map((commit) => this.timeline(commit)));
    this.slow.parentElement?.toggleAttribute("hidden", found.length === 0);
  }

  /** @param {SlowCommit} commit */
  timeline(commit) {
    const made = element("figure", "");
    const end = `${(commit.end / 1e9).toFixed(2)} s`;
    made.append(element("figcaption", `${duration(commit.ns)}, ended at ${end}, thread ${commit.tid}`));
    for (const lane of lanes(commit, this.slowest.stacks)) {
      const line = element("div", "");
      line.className = "lane";
      line.append(element("span", `${lane.who} ${lane.tid}`));
      const track = element("div", "");
      track.append(...lane.bars.map((bar) => this.bar(bar, commit.ns)));
      line.append(track);
      made.append(line);
    }
    return made;
  }

  /**
   * @param {Bar} bar
   * @param {number} allNs
   */
  bar(bar, allNs) {
    const { stack } = bar;
    const io = stack.file === null ? "" : `${stack.file} ${stack.op}, `;
    const made = element("i", "");
    made.style.left = `${(100 * bar.from) / allNs}%`;
    made.style.width = `${(100 * bar.ns) / allNs}%`;
    made.style.background = this.colors[stack.wait];
    made.title = `${io}${stack.wait}: ${duration(bar.ns)}\n${stack.frames.join("\n")}`;
    return made;
  }

  /** @param {Selection} selection */
  flameGraph(selection) {
    const tree = treeOf(this.run, selection);
    const made = element("div", "");
    made.className = "icicle";
    if (tree.ns > 0) made.append(icicle(tree, tree.ns));
    return made;
  }

  button() {
    const button = element("button", "Show all commits");
    button.addEventListener("click", () => {
      this.show(null);
      this.remember();
      this.plot.focus();
    });
    return button;
  }
}

/**
 * @param {Cause} cause
 * @returns {string}
 */
function words(cause) {
  const io = cause.file === null ? "" : `${cause.file} ${cause.op} `;
  return `${io}${cause.wait} (${cause.who})`;
}

/**
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} name
 * @param {string} text
 * @returns {HTMLElementTagNameMap[T]}
 */
function element(name, text) {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

/**
 * Returns a row of a table. All columns but the first four are numbers.
 * @param {"th" | "td"} name
 * @param {string[]} texts
 */
function row(name, texts) {
  const made = document.createElement("tr");
  texts.forEach((text, at) => {
    const cell = element(name, text);
    if (at >= 4) cell.className = "n";
    made.append(cell);
  });
  return made;
}

/** Reads the data of the page, and lets commits be selected. */
async function start() {
  const data = document.getElementById("over-time-data");
  const plot = document.getElementById("heat-map");
  const result = document.getElementById("selection");
  const slow = document.getElementById("slowest");
  if (!data || !plot || !result || !slow) return;
  const { over_time, colors } = JSON.parse(data.textContent ?? "");
  const { commits, causes, slowest } = over_time;
  const run = {
    columnNs: causes.column_ns,
    heatColumnNs: commits.column_ns,
    stacks: causes.stacks,
    causes: cells(await unpack(causes.cells), 5),
    commits: cells(await unpack(commits.cells), 3),
  };
  plot.tabIndex = 0;
  document.querySelectorAll(".with-script").forEach((hint) => hint.removeAttribute("hidden"));
  new Page(run, plot, result, slow, slowest, colors);
}

void start();
