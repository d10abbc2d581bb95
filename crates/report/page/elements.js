// @ts-check
"use strict";

/**
 * Makes an element with a text.
 * @template {keyof HTMLElementTagNameMap} T
 * @param {T} name
 * @param {string} text
 * @param {string} className
 * @returns {HTMLElementTagNameMap[T]}
 */
function element(name, text = "", className = "") {
  const made = document.createElement(name);
  made.textContent = text;
  if (className) made.className = className;
  return made;
}

/**
 * Makes a table that scrolls where it is too wide. All columns but the first `words` are numbers.
 * @param {string[]} head
 * @param {string[][]} rows
 * @param {number} words
 * @returns {HTMLElement}
 */
function wideTable(head, rows, words) {
  /** @type {(name: "th" | "td", texts: string[]) => HTMLElement} */
  const row = (name, texts) => {
    const made = element("tr");
    made.append(...texts.map((text, at) => element(name, text, at < words ? "" : "n")));
    return made;
  };
  const table = element("table");
  table.append(row("th", head), ...rows.map((texts) => row("td", texts)));
  const wide = element("div", "", "wide");
  wide.tabIndex = 0;
  wide.append(table);
  return wide;
}

/**
 * Returns the words for a cause: the call and the file, if it is in one, and the wait.
 * @param {{ file: string | null, op: string | null, wait: string }} cause
 * @returns {string}
 */
function words({ file, op, wait }) {
  return file === null ? wait : `${file} ${op} ${wait}`;
}
