// @ts-check
"use strict";

/**
 * Returns an element that the page must have.
 * @template {HTMLElement} T
 * @param {string} id
 * @param {new () => T} kind
 * @returns {T}
 */
function part(id, kind) {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`the page has no ${id}`);
  return found;
}

/**
 * Makes a row of a table: words first, then numbers.
 * @param {string} words
 * @param {string} color
 * @param {number[]} numbers
 * @returns {HTMLElement}
 */
function tableRow(words, color, numbers) {
  const row = document.createElement("tr");
  const name = document.createElement("td");
  const mark = document.createElement("i");
  mark.className = "mark";
  mark.style.backgroundColor = color;
  name.append(mark, words);
  // Less than half of a nanosecond is none, and has no sign.
  const cells = numbers.map((number) => Math.round(number) || 0).map((number, at) => {
    const cell = document.createElement("td");
    cell.className = "n";
    cell.textContent = `${at === 2 && number > 0 ? "+" : ""}${duration(number)}`;
    return cell;
  });
  row.append(name, ...cells);
  return row;
}

/** Lets any two cells be compared. */
function start() {
  /** @type {{ cells: StudyCell[], colors: Record<string, string> }} */
  const { cells, colors } = JSON.parse(part("cells-data", HTMLScriptElement).textContent ?? "");
  if (cells.length < 2) return;
  const selects = ["difference-from", "difference-to"].map((id) => part(id, HTMLSelectElement));
  for (const select of selects) select.append(...cells.map(({ name }) => new Option(name, name)));
  const show = () => {
    const [from, to] = selects.map((select) => cells[Math.max(select.selectedIndex, 0)].causes);
    const rows = differences(from, to);
    const sum = (/** @type {"from" | "to"} */ side) => rows.reduce((all, row) => all + row[side], 0);
    const all = { cause: "all", wait: "", from: sum("from"), to: sum("to") };
    const lines = [all, ...rows].map((row) =>
      tableRow(row.cause, colors[row.wait] ?? "transparent", [row.from, row.to, row.to - row.from]),
    );
    part("difference-rows", HTMLTableSectionElement).replaceChildren(...lines);
  };
  const restore = () => {
    const names = cellsOf(location.hash);
    selects.forEach((select, at) => {
      const named = cells.findIndex(({ name }) => name === names[at]);
      select.selectedIndex = named < 0 ? at : named;
    });
    show();
  };
  for (const select of selects) {
    select.addEventListener("change", () => {
      const [from, to] = selects.map(({ value }) => encodeURIComponent(value));
      history.replaceState(null, "", `#from=${from}&to=${to}`);
      show();
    });
  }
  window.addEventListener("hashchange", restore);
  restore();
  part("difference", HTMLElement).hidden = false;
  document.querySelectorAll(".with-script").forEach((link) => link.removeAttribute("hidden"));
}

start();
