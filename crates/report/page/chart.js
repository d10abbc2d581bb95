// @ts-check
"use strict";

/**
 * Values of a chart, by bar. The bars are columns of time, or have names and end at places of their own.
 * @typedef {{ name: string, color?: string, values: number[] }} Series
 * @typedef {{ unit: "rate" | "count" | "ns", column_ns?: number, bars?: [number, string][], sum?: string, series: Series[] }} Chart
 */

/** Keys that lead from bar to bar, with their steps. */
const CHART_STEPS = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10, Home: -Infinity, End: Infinity };

/**
 * Formats a value of a chart.
 * @param {number} value
 * @param {Chart["unit"]} unit
 * @returns {string}
 */
function valueText(value, unit) {
  if (unit === "ns") return duration(value);
  const text = value >= 100 ? grouped(value) : String(Number(value.toPrecision(3)));
  return unit === "rate" ? `${text}/s` : text;
}

/**
 * Returns the number of the bars.
 * @param {Chart} chart
 * @returns {number}
 */
function barCount(chart) {
  return chart.series[0]?.values.length ?? 0;
}

/**
 * Returns the bar at a place of the axis from 0 to 1.
 * @param {Chart} chart
 * @param {number} place
 * @returns {number}
 */
function barAt(chart, place) {
  const last = barCount(chart) - 1;
  const width = chart.bars?.at(-1)?.[0];
  const at = chart.bars && width ? chart.bars.findIndex(([end]) => end > place * width) : Math.floor(place * (last + 1));
  return at < 0 ? (place < 0 ? 0 : last) : Math.min(at, last);
}

/**
 * Returns the left and the right end of a bar, as places from 0 to 1.
 * @param {Chart} chart
 * @param {number} at
 * @returns {[number, number]}
 */
function barEnds(chart, at) {
  const count = barCount(chart);
  const width = chart.bars?.at(-1)?.[0];
  if (!chart.bars || !width) return [at / count, (at + 1) / count];
  return [at === 0 ? 0 : chart.bars[at - 1][0] / width, chart.bars[at][0] / width];
}

/**
 * Says what a bar has. The parts of a stacked bar begin with the largest, and those that are nothing are left out.
 * @param {Chart} chart
 * @param {number} at
 * @returns {Said}
 */
function barSaid(chart, at) {
  const { unit, sum, series } = chart;
  const heading = chart.bars ? chart.bars[at][1] : timeSaid(at * (chart.column_ns ?? 0), chart.column_ns ?? 0);
  const values = series.map(({ name, color, values }) => ({ name, color, value: values[at] }));
  const shown = sum === undefined ? values : values.filter(({ value }) => value > 0).sort((a, b) => b.value - a.value);
  const whole = values.reduce((all, { value }) => all + value, 0);
  const lines = shown.map(({ name, color, value }) => ({ name, color, text: valueText(value, unit) }));
  return { heading, lines: sum === undefined ? lines : [{ name: sum, text: valueText(whole, unit) }, ...lines] };
}

/**
 * Says when a column was, from the start of the window.
 * @param {number} fromNs
 * @param {number} lengthNs
 * @returns {string}
 */
function timeSaid(fromNs, lengthNs) {
  const seconds = (/** @type {number} */ ns) => String(Number((ns / 1e9).toFixed(3)));
  return `${seconds(fromNs)} to ${seconds(fromNs + lengthNs)} s`;
}

/**
 * Writes words of a tip in one line, for who does not see it.
 * @param {Said} said
 * @returns {string}
 */
function inOneLine({ heading, lines }) {
  return [heading, ...lines.map(({ name, text }) => `${name} ${text}`)].join(", ");
}

/**
 * Lets the values of a chart be read, with the pointer and with the keyboard: as a slider, whose arrows lead from bar to bar.
 * @param {HTMLElement} plot
 * @param {Chart} chart
 */
function readChart(plot, chart) {
  if (barCount(chart) === 0) return;
  const cursor = element("div", "", "cursor");
  cursor.hidden = true;
  plot.append(cursor);
  let at = 0;
  const move = (/** @type {number} */ to) => {
    at = Math.min(Math.max(to, 0), barCount(chart) - 1);
    const [left, right] = barEnds(chart, at);
    cursor.style.left = `${100 * left}%`;
    cursor.style.width = `${100 * (right - left)}%`;
    plot.setAttribute("aria-valuenow", String(at));
    plot.setAttribute("aria-valuetext", inOneLine(barSaid(chart, at)));
  };
  const point = () => {
    const box = cursor.getBoundingClientRect();
    tip().show(box.right, box.top, barSaid(chart, at));
  };
  plot.tabIndex = 0;
  plot.setAttribute("role", "slider");
  plot.setAttribute("aria-label", plot.querySelector("svg")?.getAttribute("aria-label") ?? "");
  plot.setAttribute("aria-valuemin", "0");
  plot.setAttribute("aria-valuemax", String(barCount(chart) - 1));
  move(0);
  showBelowPointer(plot, (event) => {
    const box = plot.getBoundingClientRect();
    move(barAt(chart, (event.clientX - box.left) / box.width));
    cursor.hidden = false;
    return barSaid(chart, at);
  });
  plot.addEventListener("pointerleave", () => (cursor.hidden = true));
  plot.addEventListener("focus", () => {
    // A pointer that pressed shows its own.
    if (!plot.matches(":focus-visible")) return;
    cursor.hidden = false;
    point();
  });
  plot.addEventListener("blur", () => {
    cursor.hidden = true;
    tip().hide();
  });
  plot.addEventListener("keydown", (event) => {
    const step = CHART_STEPS[/** @type {keyof typeof CHART_STEPS} */ (event.key)];
    if (step === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    move(at + step);
    cursor.hidden = false;
    point();
  });
}
