// @ts-check
"use strict";

/** Steps of the selection by key: columns, and bands. */
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

/** Heat map in which a part of the run is selected, with the pointer or the keyboard. */
class Picture {
  /**
   * @param {HTMLElement} plot
   * @param {number} columnNs Width of a column of the causes.
   * @param {(selection: Rectangle | null, isDone: boolean) => void} changed Called with each new selection. While the pointer is
   *   still dragged, `isDone` is false.
   */
  constructor(plot, columnNs, changed) {
    this.plot = plot;
    this.columnNs = columnNs;
    this.changed = changed;
    this.endNs = Number(plot.dataset.end);
    this.firstRow = Number(plot.dataset.first);
    this.rows = Number(plot.dataset.last) - this.firstRow + 1;
    /** @type {Rectangle} */
    this.whole = {
      fromColumn: 0,
      toColumn: Math.ceil(this.endNs / columnNs),
      fromBand: Math.floor(this.firstRow / ROWS_IN_BAND),
      toBand: Math.floor((this.firstRow + this.rows - 1) / ROWS_IN_BAND) + 1,
    };
    /** @type {Rectangle | null} */
    this.selection = null;
    this.frame = element("div", "", "selected");
    this.frame.hidden = true;
    plot.append(this.frame);
    plot.tabIndex = 0;
    plot.addEventListener("pointerdown", (event) => this.begin(event));
    plot.addEventListener("pointermove", (event) => this.move(event));
    /** @type {{ column: number, band: number } | null} The place to which the pointer was dragged since the last frame of the screen. */
    this.dragged = null;
    plot.addEventListener("pointerup", () => this.end());
    plot.addEventListener("pointercancel", () => this.end());
    plot.addEventListener("keydown", (event) => this.key(event));
  }

  /**
   * Selects a part of the run, as far as it is within the run, or ends the selection.
   * @param {Rectangle | null} selection
   * @param {boolean} isDone
   */
  select(selection, isDone = true) {
    this.selection = selection && within(selection, this.whole);
    this.frame.hidden = this.selection === null;
    if (this.selection) this.drawFrame(this.selection);
    this.changed(this.selection, isDone);
  }

  /** @param {PointerEvent} event */
  begin(event) {
    if (event.button !== 0) return;
    this.start = this.place(event);
    this.dragged = null;
    this.plot.setPointerCapture(event.pointerId);
    this.select(between(this.start, this.start), false);
  }

  /**
   * Follows the pointer. It may move many times in a frame of the screen, of which only the last one is shown.
   * @param {PointerEvent} event
   */
  move(event) {
    if (!this.start) return;
    const isAsked = this.dragged !== null;
    this.dragged = this.place(event);
    if (!isAsked) requestAnimationFrame(() => this.follow());
  }

  follow() {
    if (this.start && this.dragged) this.select(between(this.start, this.dragged), false);
    this.dragged = null;
  }

  end() {
    const { start, dragged } = this;
    this.start = null;
    this.dragged = null;
    this.select(start && dragged ? between(start, dragged) : this.selection);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const step = STEPS[/** @type {keyof typeof STEPS} */ (event.key)];
    if (event.key === "Escape") this.select(null);
    else if (event.key === "Enter") this.select(this.whole);
    else if (step) this.step(step[0], step[1], event.shiftKey);
    else return;
    event.preventDefault();
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
    this.select({
      fromColumn: at.fromColumn + moved * columns,
      toColumn: at.toColumn + columns,
      fromBand: at.fromBand + moved * bands,
      toBand: at.toBand + bands,
    });
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
      column: Math.floor((right * this.endNs) / this.columnNs),
      band: Math.floor((this.firstRow + up * this.rows) / ROWS_IN_BAND),
    };
  }

  /** @param {Rectangle} selection */
  drawFrame(selection) {
    const x = (/** @type {number} */ column) => (100 * column * this.columnNs) / this.endNs;
    const y = (/** @type {number} */ band) => (100 * (band * ROWS_IN_BAND - this.firstRow)) / this.rows;
    const percent = (/** @type {number} */ value) => `${Math.min(Math.max(value, 0), 100)}%`;
    this.frame.style.left = percent(x(selection.fromColumn));
    this.frame.style.right = percent(100 - x(selection.toColumn));
    this.frame.style.bottom = percent(y(selection.fromBand));
    this.frame.style.top = percent(100 - y(selection.toBand));
  }
}
