// @ts-check
// The grids of a printed sheet, to draw on: a table for where each token looks, axes for a curve.
import { svgNode } from "../../../shared/charts/svg.js";
import { make } from "../../../shared/dom.js";

/** @import { Prediction } from "../predictions/predictions.js" */

const SHEET_WIDTH = 520;
const SHEET_HEIGHT = 220;
const AXIS_WIDTH = 40; // space for the numbers of the axis
const NAMES_HEIGHT = 24; // space for the names of the columns
const LINES = 5;

/** @param {Prediction} prediction */
export const emptyGrid = (prediction) =>
  prediction.rows?.length ? table(prediction, []) : axes(prediction, undefined);

/**
 * @param {Prediction} prediction
 * @param {{ values: any }} answer
 */
export const answerGrid = (prediction, { values }) =>
  prediction.rows?.length ? table(prediction, values) : axes(prediction, values);

/** @type {(prediction: Prediction, values: number[][]) => HTMLElement} */
function table({ rows = [], columns = [] }, values) {
  const grid = make("table", "ls-paper");
  const head = make("tr");
  head.append(make("td"), ...columns.map((column) => make("th", "", column)));
  const lines = rows.map((row, index) => {
    const line = make("tr");
    const weights = values[index] ?? [];
    const most = Math.max(...weights);
    line.append(make("th", "", row));
    line.append(...columns.map((_, column) => make("td", "", weights.length && weights[column] === most ? "×" : "")));
    return line;
  });
  grid.append(head, ...lines);
  return grid;
}

/** @type {(prediction: Prediction, values: number[] | undefined) => SVGElement} */
function axes({ columns = [], low, high }, values) {
  const svg = svgNode("svg", { viewBox: `0 0 ${SHEET_WIDTH} ${SHEET_HEIGHT}`, class: "ls-axes" });
  const x = (/** @type {number} */ index) => AXIS_WIDTH + ((index + 0.5) / columns.length) * (SHEET_WIDTH - AXIS_WIDTH);
  const y = (/** @type {number} */ share) => 8 + (1 - share) * (SHEET_HEIGHT - NAMES_HEIGHT - 8);
  for (let line = 0; line <= LINES; line += 1) {
    const share = line / LINES;
    svg.append(svgNode("line", { x1: AXIS_WIDTH, x2: SHEET_WIDTH, y1: y(share), y2: y(share) }));
    svg.append(text(AXIS_WIDTH - 6, y(share) + 4, String(Math.round(10 * (low + share * (high - low))) / 10), "end"));
  }
  for (const [index, column] of columns.entries()) {
    svg.append(svgNode("line", { x1: x(index), x2: x(index), y1: y(0), y2: y(1) }));
    svg.append(text(x(index), SHEET_HEIGHT - 6, column, "middle"));
  }
  if (values) {
    const share = (/** @type {number} */ value) => Math.min(Math.max((value - low) / (high - low), 0), 1);
    const points = values.map((value, index) => `${x(index)},${y(share(value))}`).join(" ");
    svg.append(svgNode("polyline", { points }));
  }
  return svg;
}

/** @type {(x: number, y: number, content: string, anchor: string) => SVGElement} */
function text(x, y, content, anchor) {
  const node = svgNode("text", { x, y, "text-anchor": anchor });
  node.textContent = content;
  return node;
}
