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
    const { endNs, firstRow, rows } = axesOf(plot);
    this.endNs = endNs;
    this.firstRow = firstRow;
    this.rows = rows;
    /** @type {Rectangle} */
    this.whole = {
      fromColumn: 0,
      toColumn: Math.ceil(this.endNs / columnNs),
      fromBand: Math.floor(this.firstRow / ROWS_IN_BAND),
      toBand: Math.floor((this.firstRow + this.rows - 1) / ROWS_IN_BAND) + 1,
    };
    /** @type {Rectangle | null} */
    this.selection = null;
    /** @type {Rectangle | null} What was selected before it was dragged. */
    this.before = null;
    /** @type {{ x: number, y: number, isMeant: boolean } | null} Where a finger began, and whether it means to select. */
    this.finger = null;
    this.frame = element("div", "", "selected");
    this.frame.hidden = true;
    plot.append(this.frame);
    plot.tabIndex = 0;
    plot.addEventListener("pointerdown", (event) => this.begin(event));
    plot.addEventListener("pointermove", (event) => this.move(event));
    /** @type {{ column: number, band: number } | null} The place to which the pointer was dragged since the last frame of the screen. */
    this.dragged = null;
    plot.addEventListener("pointerup", () => this.end());
    plot.addEventListener("pointercancel", () => this.cancel());
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

  /**
   * Begins to drag. A finger may mean to scroll, so that it selects nothing before it went sideways, and then a time with all
   * durations: nobody can aim at a rectangle below a finger.
   * @param {PointerEvent} event
   */
  begin(event) {
    const isTouch = event.pointerType === "touch";
    if (event.button !== 0 || (isTouch && !event.isPrimary)) return;
    this.before = this.selection;
    this.dragged = null;
    this.start = this.place(event);
    this.finger = isTouch ? { x: event.clientX, y: event.clientY, isMeant: false } : null;
    if (isTouch) return;
    this.plot.setPointerCapture(event.pointerId);
    this.select(between(this.start, this.start), false);
  }

  /**
   * Follows the pointer. It may move many times in a frame of the screen, of which only the last one is shown.
   * @param {PointerEvent} event
   */
  move(event) {
    if (!this.start) return;
    if (this.finger && !this.finger.isMeant && !this.isMeant(event, this.finger)) return;
    const isAsked = this.dragged !== null;
    this.dragged = this.place(event);
    if (!isAsked) requestAnimationFrame(() => this.follow());
  }

  /**
   * Returns whether a finger now means to select. If it means to scroll, nothing is dragged any more.
   * @param {PointerEvent} event
   * @param {{ x: number, y: number, isMeant: boolean }} finger
   * @returns {boolean}
   */
  isMeant(event, finger) {
    const now = meant(event.clientX - finger.x, event.clientY - finger.y);
    if (now === "scroll") this.start = null;
    if (now !== "select") return false;
    finger.isMeant = true;
    this.plot.setPointerCapture(event.pointerId);
    return true;
  }

  follow() {
    if (this.start && this.dragged) this.select(this.rectangle(this.start, this.dragged), false);
    this.dragged = null;
  }

  end() {
    const { start, dragged } = this;
    if (!start) return;
    this.start = null;
    this.dragged = null;
    // A finger that only tapped selects nothing.
    if (this.finger && !this.finger.isMeant) return;
    this.select(dragged ? this.rectangle(start, dragged) : this.selection);
  }

  /** Ends a drag that the browser took over, such as one that scrolls: what was selected before is selected again. */
  cancel() {
    const isDrawn = this.start && (!this.finger || this.finger.isMeant);
    this.start = null;
    this.dragged = null;
    if (isDrawn) this.select(this.before ?? null);
  }

  /**
   * Returns the selection between two places.
   * @param {{ column: number, band: number }} start
   * @param {{ column: number, band: number }} end
   * @returns {Rectangle}
   */
  rectangle(start, end) {
    const { fromBand, toBand } = this.whole;
    return this.finger ? { ...between(start, end), fromBand, toBand } : between(start, end);
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
