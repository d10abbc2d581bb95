// @ts-check
"use strict";

/** Duration from which on commits that waited at the same time are called a stall: crates/report/src/render/sections/answer/slowest.rs. */
const LEAST_STALL_NS = 50e6;

/** Commits that are drawn at first, and more at each press of the button. Those of the same time count as one. */
const DRAWN = 5;

/** Steps of a path that are written out. */
const MOST_STEPS = 40;

/** Commits that are drawn as timelines: the slowest, typical ones, or those of stalls. */
class ExemplarView {
  /**
   * @param {HTMLElement} place
   * @param {Record<string, Exemplars>} kinds By the names of the buttons.
   * @param {{ colors: Record<string, string>, columnNs: number, count: number, threads: Record<string, string> }} run Colours of the waits; width of a column; number of
   *   all commits; names of threads by their ids.
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
    this.others = element("p");
    this.figures = element("div");
    this.more = element("button", "Show more");
    this.more.addEventListener("click", () => {
      this.drawn += DRAWN;
      void this.draw();
    });
    place.append(this.buttons, this.others, this.figures, this.more);
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
        const button = element("button", `${name}: ${commits.length} ${commits.length === 1 ? "commit" : "commits"}`);
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
    this.others.textContent = waitedForInWords(found, of.stacks, this.run.threads);
    this.drawing += 1;
    const drawing = this.drawing;
    // Typical commits are as many as there are percentiles.
    const groups = this.kind === "Typical" ? found.map((commit) => [commit]) : atOnce(found);
    const figures = await Promise.all(groups.slice(0, this.drawn).map((group) => this.group(group, of)));
    // Another selection may have come meanwhile.
    if (drawing !== this.drawing) return;
    this.figures.replaceChildren(...figures.flat());
    this.more.hidden = groups.length <= this.drawn;
  }

  /**
   * Draws the first of the commits that waited at the same time, and the others when their list is opened.
   * @param {Exemplar[]} group
   * @param {Exemplars} of
   * @returns {Promise<HTMLElement[]>}
   */
  async group([first, ...others], of) {
    const drawn = await this.figure(first, of);
    if (others.length === 0) return [drawn];
    const what = first.ns >= LEAST_STALL_NS ? "of the same stall" : "at the same time";
    const list = element("details", "", "at-once");
    const shortest = Math.min(...others.map(({ ns }) => ns));
    list.append(element("summary", `${others.length + 1} commits ${what}: this one, and ${others.length} of ${duration(shortest)} and more`));
    list.addEventListener(
      "toggle",
      async () => list.append(...(await Promise.all(others.map((commit) => this.figure(commit, of))))),
      { once: true },
    );
    return [drawn, list];
  }

  /**
   * @param {Exemplar} commit
   * @param {Exemplars} of
   * @returns {Promise<HTMLElement>}
   */
  async figure(commit, of) {
    const records = commit.records ? cells(await unpack(commit.records.list), 5) : [];
    const timeline = timelineOf(commit, of, records, this.run.threads);
    const made = element("figure");
    made.append(element("figcaption", caption(commit, this.run.count)), drawLanes(timeline, this.run.colors), pathInWords(timeline));
    return made;
  }
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
