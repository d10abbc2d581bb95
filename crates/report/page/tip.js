// @ts-check
"use strict";

/**
 * Words of a tip: a heading, and a line for each value with the colour of its mark, where it has one.
 * @typedef {{ heading: string, lines: { name: string, text: string, color?: string }[] }} Said
 */

/** Distance of a tip from the pointer, and from the edges of the window, in pixels. */
const AWAY_PX = 14;

/** Box beside the pointer with the values of what is below it. There is one, as there is one pointer. */
class Tip {
  constructor() {
    this.box = element("div", "", "tip");
    // Who does not see it gets the same words by the focus.
    this.box.setAttribute("aria-hidden", "true");
    this.box.hidden = true;
    document.body.append(this.box);
    document.addEventListener("scroll", () => this.hide(), { passive: true });
    // A tap elsewhere.
    document.addEventListener("pointerdown", () => this.hide());
  }

  /**
   * Shows words beside a point of the window.
   * @param {number} x
   * @param {number} y
   * @param {Said} said
   */
  show(x, y, { heading, lines }) {
    const rows = lines.map(({ name, text, color }) => {
      const row = element("div");
      const mark = element("i");
      if (color) mark.style.background = color;
      row.append(mark, element("span", name), element("b", text));
      return row;
    });
    this.box.replaceChildren(element("p", heading), ...rows);
    this.box.hidden = false;
    const { width, height } = this.box.getBoundingClientRect();
    const left = x + AWAY_PX + width > innerWidth ? x - AWAY_PX - width : x + AWAY_PX;
    const top = y + AWAY_PX + height > innerHeight ? y - AWAY_PX - height : y + AWAY_PX;
    this.box.style.left = `${Math.max(0, left)}px`;
    this.box.style.top = `${Math.max(0, top)}px`;
  }

  hide() {
    this.box.hidden = true;
  }
}

/** @type {Tip | null} */
let onlyTip = null;

/** Returns the tip of the page. */
function tip() {
  onlyTip ??= new Tip();
  return onlyTip;
}

/**
 * Shows what is below the pointer: while a mouse or a pen is over an element, and where a finger tapped.
 * @param {HTMLElement} over
 * @param {(event: PointerEvent) => Said | null} said
 */
function showBelowPointer(over, said) {
  const show = (/** @type {PointerEvent} */ event) => {
    const words = event.buttons === 0 ? said(event) : null;
    if (words) tip().show(event.clientX, event.clientY, words);
    else tip().hide();
  };
  over.addEventListener("pointermove", (event) => {
    if (event.pointerType !== "touch") show(event);
  });
  over.addEventListener("click", (event) => {
    if (event instanceof PointerEvent) show(event);
  });
  over.addEventListener("pointerleave", (event) => {
    if (event.pointerType !== "touch") tip().hide();
  });
}
