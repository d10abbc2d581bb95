// @ts-check
"use strict";

/**
 * Axes of a heat map: nanoseconds of its time and of a column, its first row, and the number of its rows.
 * @typedef {{ endNs: number, columnNs: number, firstRow: number, rows: number }} MapAxes
 */

/**
 * Returns the axes of a heat map of the page.
 * @param {HTMLElement} plot
 * @returns {MapAxes}
 */
function axesOf({ dataset }) {
  const firstRow = Number(dataset.first);
  return { endNs: Number(dataset.end), columnNs: Number(dataset.column), firstRow, rows: Number(dataset.last) - firstRow + 1 };
}

/**
 * Returns the counts of a heat map by column and row of its picture, whose columns may have several of the cells.
 * @param {Cells} cells Column, row, count.
 * @param {number} cellNs Width of a cell.
 * @param {MapAxes} axes
 * @returns {Map<string, number>}
 */
function countsOf([columns, rows, counts], cellNs, { columnNs }) {
  /** @type {Map<string, number>} */
  const found = new Map();
  for (let at = 0; at < columns.length; at += 1) {
    const key = `${Math.floor((columns[at] * cellNs) / columnNs)} ${rows[at]}`;
    found.set(key, (found.get(key) ?? 0) + counts[at]);
  }
  return found;
}

/**
 * Says what a cell of a heat map has.
 * @param {Map<string, number>} counts
 * @param {MapAxes} axes
 * @param {{ column: number, row: number }} place
 * @param {string} word For one of the counted events.
 * @returns {Said}
 */
function cellSaid(counts, { columnNs }, { column, row }, word) {
  const count = counts.get(`${column} ${row}`) ?? 0;
  const length = `${duration(rowStart(row))} to ${duration(rowStart(row + 1))}`;
  const name = `${word}${count === 1 ? "" : "s"}, ${length}`;
  return { heading: timeSaid(column * columnNs, columnNs), lines: [{ name, text: grouped(count) }] };
}

/**
 * Lets the numbers of the cells of a heat map be read with the pointer.
 * @param {HTMLElement} plot
 * @param {Cells} cells
 * @param {number} cellNs
 * @param {string} word
 */
function readMap(plot, cells, cellNs, word) {
  const axes = axesOf(plot);
  const counts = countsOf(cells, cellNs, axes);
  showBelowPointer(plot, (event) => {
    const box = plot.getBoundingClientRect();
    const [right, up] = [(event.clientX - box.left) / box.width, (box.bottom - event.clientY) / box.height];
    if (right < 0 || right >= 1 || up < 0 || up >= 1) return null;
    const place = { column: Math.floor((right * axes.endNs) / axes.columnNs), row: axes.firstRow + Math.floor(up * axes.rows) };
    return cellSaid(counts, axes, place, word);
  });
}
