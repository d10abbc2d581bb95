// @ts-check
"use strict";

/** Commits that are drawn at first, and more at each press of the button. */
const DRAWN = 5;

/** Steps of a path that are written out. */
const MOST_STEPS = 40;

/** Heights of a lane and of half a lane, as in the style. */
const LANE_REM = 1.4;

/** Commits that are drawn as timelines: the slowest, typical ones, or those of stalls. */
class ExemplarView {
  /**
   * @param {HTMLElement} place
   * @param {Record<string, Exemplars>} kinds By the names of the buttons.
   * @param {{ colors: Record<string, string>, columnNs: number, count: number }} run Colours of the waits; width of a column; number of
   *   all commits.
   */
  constructor(place, kinds, run) {
    this.kinds = kinds;
    this.run = run;
    this.kind = Object.keys(kinds)[0];
    this.drawn = DRAWN;
    this.drawing = 0;
    this.buttons = element("div", "", "kinds");
    this.buttons.setAttribute("role", "group");
    this.buttons.setAttribute("aria-label", "Commits that are drawn");
    this.figures = element("div");
    this.more = element("button", "Show more");
    this.more.addEventListener("click", () => {
      this.drawn += DRAWN;
      void this.draw();
    });
    place.append(this.buttons, this.figures, this.more);
  }

  /**
   * Shows the commits of a selection, or of the whole run.
   * @param {Rectangle | null} selection
   * @param {Rectangle} whole
   */
  show(selection, whole) {
    this.found = Object.fromEntries(
      Object.entries(this.kinds).map(([name, { commits }]) => {
        const found = commitsIn(commits, selection ?? whole, this.run.columnNs);
        return [name, name === "Typical" && !selection ? nearPercentiles(found, this.run.count) : found];
      }),
    );
    this.drawn = DRAWN;
    this.drawButtons();
    void this.draw();
  }

  drawButtons() {
    const found = Object.entries(this.found ?? {});
    if (this.found?.[this.kind].length === 0) this.kind = found.find(([, commits]) => commits.length > 0)?.[0] ?? this.kind;
    this.buttons.replaceChildren(
      ...found.map(([name, commits]) => {
        const button = element("button", `${name} (${commits.length})`);
        button.disabled = commits.length === 0;
        button.setAttribute("aria-pressed", String(name === this.kind));
        button.addEventListener("click", () => {
          this.kind = name;
          this.drawn = DRAWN;
          this.drawButtons();
          void this.draw();
          /** @type {HTMLElement | null} */ (this.buttons.querySelector("[aria-pressed=true]"))?.focus();
        });
        return button;
      }),
    );
  }

  async draw() {
    const of = this.kinds[this.kind];
    const found = this.found?.[this.kind] ?? [];
    this.drawing += 1;
    const drawing = this.drawing;
    const figures = await Promise.all(found.slice(0, this.drawn).map((commit) => this.figure(commit, of)));
    // Another selection may have come meanwhile.
    if (drawing !== this.drawing) return;
    this.figures.replaceChildren(...figures);
    this.more.hidden = found.length <= this.drawn;
  }

  /**
   * @param {Exemplar} commit
   * @param {Exemplars} of
   * @returns {Promise<HTMLElement>}
   */
  async figure(commit, of) {
    const records = commit.records ? cells(await unpack(commit.records.list), 5) : [];
    const timeline = timelineOf(commit, of, records);
    const made = element("figure");
    made.append(element("figcaption", caption(commit, this.run.count)), drawLanes(timeline, this.run.colors), pathInWords(timeline));
    return made;
  }
}

/**
 * @param {Exemplar} commit
 * @param {number} count
 * @returns {string}
 */
function caption(commit, count) {
  const parts = [duration(commit.ns)];
  if (commit.shorter !== undefined) parts.push(`longer than ${((100 * commit.shorter) / count).toFixed(2)} % of all commits`);
  if (commit.stall !== undefined) parts.push(`in the stall from ${(commit.stall / 1e9).toFixed(1)} s`);
  parts.push(`ended at ${(commit.end / 1e9).toFixed(2)} s`, `thread ${commit.tid}`);
  if (commit.records?.is_cut) parts.push("without some of the records before it or the shortest ones");
  return parts.join(", ");
}

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
    made.title = words;
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
  shown.append(made, roam(made, parts, false));
  return shown;
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

/**
 * Writes the critical path as a list, for who does not see it or has no pointer.
 * @param {Timeline} timeline
 * @returns {HTMLElement}
 */
function pathInWords({ bars, lanes }) {
  const made = element("details");
  const list = element("ol");
  const steps = bars.slice(0, MOST_STEPS).map(({ ns, lane, stack }) => element("li", `${duration(ns)} ${lanes[lane].name}: ${words(stack)}`));
  if (bars.length > MOST_STEPS) steps.push(element("li", `${bars.length - MOST_STEPS} more`));
  list.append(...steps);
  made.append(element("summary", "The critical path in words"), list);
  return made;
}
