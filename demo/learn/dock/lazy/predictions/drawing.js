// @ts-check
// Predictions that a reader draws: which source token each output token looks at, or a curve.

import { svgNode } from "../../../../widgets/charts/svg.js";
import { asData, make, makeButton } from "../../../../widgets/view/dom.js";
import { t } from "../../../../widgets/view/translate.js";

/** @import { Ask } from "./predictions.js" */

const VIEW_WIDTH = 320; // width of a curve's viewBox
const VIEW_HEIGHT = 150;
const KEY_STEP_PERCENT = 5; // share of the range

/** The index of the largest value. @param {number[]} values */
export const strongest = (values) => values.indexOf(Math.max(...values));

/** @type {Ask} */
export const drawing = (prediction, predict) =>
  (prediction.rows?.length ? drawAlignment : drawCurve)(prediction, predict);

/** @type {Ask} */
function drawAlignment({ rows = [], columns = [] }, predict) {
  /** @type {(number | null)[]} */
  const marked = rows.map(() => null);
  const heads = columns.map((column) => make("th", "", asData(make("span", "", column))));
  const table = make("table", "ls-grid", make("tr", "", make("td"), ...heads));

  const cells = rows.map((label, row) => {
    const buttons = columns.map((column, index) => {
      const button = makeButton("ls-cell", () => {
        marked[row] = index;
        mark(row);
      });
      button.setAttribute("aria-label", t("{output} looks at {source}", { output: label, source: column }));
      button.tabIndex = index ? -1 : 0; // one tab stop a row; arrow keys move in it
      button.addEventListener("keydown", (event) => {
        const direction = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        const next = direction && buttons[index + direction];
        if (!next) return;
        event.preventDefault();
        next.focus();
      });
      return button;
    });
    const data = buttons.map((button) => make("td", "", button));
    table.append(make("tr", "", asData(make("th", "", label)), ...data));
    return buttons;
  });

  /** @param {number} row */
  function mark(row) {
    for (const [index, button] of cells[row].entries())
      button.setAttribute("aria-pressed", String(marked[row] === index));
    button.disabled = marked.some((column) => column === null);
  }

  const button = makeButton("ls-do", () => predict(marked), t("Predict"));
  const hint = make("p", "ls-hint", t("Mark one cell in each row: where does the model look?"));
  const element = make("div", "ls-draw", hint, make("div", "ls-scroll", table), button);
  for (const row of rows.keys()) mark(row);
  return {
    element,
    reveal(chosen, { answer }) {
      button.hidden = true;
      let right = 0;
      for (const [row, buttons] of cells.entries()) {
        const most = strongest(answer.values[row]);
        if (chosen?.[row] === most) right += 1;
        for (const [index, cell] of buttons.entries()) {
          cell.disabled = true;
          cell.style.setProperty("--weight", String(answer.values[row][index]));
          cell.setAttribute("aria-pressed", String(chosen?.[row] === index));
          cell.title = `${Math.round(100 * answer.values[row][index])}%`;
        }
      }
      if (chosen === undefined) return "";
      return t("In {count} of {all} rows your cell is the one with most attention.", {
        count: right,
        all: rows.length,
      });
    },
  };
}

/** @type {Ask} */
function drawCurve({ columns = [], low, high }, predict) {
  const values = columns.map(() => (low + high) / 2);
  const svg = svgNode("svg", { viewBox: `0 0 ${VIEW_WIDTH} ${VIEW_HEIGHT}`, class: "ls-curve", role: "group" });
  svg.setAttribute("aria-label", t("Your curve"));
  const x = (/** @type {number} */ index) => ((index + 0.5) / columns.length) * VIEW_WIDTH;
  const y = (/** @type {number} */ value) => VIEW_HEIGHT - 8 - ((value - low) / (high - low)) * (VIEW_HEIGHT - 16);
  const line = svgNode("polyline", { class: "ls-own" });
  svg.append(line);

  const points = columns.map((column, index) => {
    const point = svgNode("circle", { r: 8, class: "ls-point", tabindex: 0, role: "slider" });
    point.setAttribute("aria-label", column);
    point.setAttribute("aria-valuemin", String(low));
    point.setAttribute("aria-valuemax", String(high));
    point.addEventListener("keydown", (event) => {
      const direction = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1 }[event.key];
      if (!direction || button.hidden) return;
      event.preventDefault();
      set(index, values[index] + (direction * KEY_STEP_PERCENT * (high - low)) / 100);
    });
    svg.append(point);
    return point;
  });

  /** @type {(index: number, value: number) => void} */
  function set(index, value) {
    values[index] = Math.min(Math.max(value, low), high);
    draw();
  }

  function draw() {
    line.setAttribute("points", values.map((value, index) => `${x(index)},${y(value)}`).join(" "));
    for (const [index, point] of points.entries()) {
      point.setAttribute("cx", String(x(index)));
      point.setAttribute("cy", String(y(values[index])));
      point.setAttribute("aria-valuenow", String(Math.round(values[index])));
    }
  }

  /** @param {PointerEvent} event */
  function drag(event) {
    if (button.hidden || !(event.buttons & 1)) return;
    const box = svg.getBoundingClientRect();
    const index = Math.floor(((event.clientX - box.left) / box.width) * columns.length);
    const share = 1 - ((event.clientY - box.top) / box.height) * (VIEW_HEIGHT / (VIEW_HEIGHT - 16)) + 8 / VIEW_HEIGHT;
    if (index >= 0 && index < columns.length) set(index, low + share * (high - low));
  }

  svg.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    svg.setPointerCapture(event.pointerId);
    drag(event);
  });
  svg.addEventListener("pointermove", drag);
  const guess = () => values.map((value) => Math.round(10 * value) / 10);
  const button = makeButton("ls-do", () => predict(guess()), t("Predict"));
  const names = make("div", "ls-names", ...columns.map((column) => asData(make("span", "", column))));
  const hint = t("Draw the curve: drag the points, or move each with the arrow keys ({low} to {high}).", { low, high });
  const element = make("div", "ls-draw", make("p", "ls-hint", hint), svg, names, button);
  draw();
  return {
    element,
    reveal(chosen, { answer }) {
      button.hidden = true;
      for (const [column, value] of (chosen ?? []).entries()) values[column] = value;
      if (chosen === undefined) for (const shape of [line, ...points]) shape.remove();
      draw();
      const actual = answer.values.map((/** @type {number} */ value) => Math.min(Math.max(value, low), high));
      const modelLine = svgNode("polyline", { class: "ls-model" });
      modelLine.setAttribute(
        "points",
        actual.map((/** @type {number} */ value, /** @type {number} */ index) => `${x(index)},${y(value)}`).join(" "),
      );
      svg.append(modelLine);
      if (chosen === undefined) return "";
      const gaps = actual.map((/** @type {number} */ value, /** @type {number} */ index) =>
        Math.abs(value - chosen[index]),
      );
      const most = strongest(gaps);
      const gap = Math.round(gaps[most]);
      return t("Your curve is off most at {place}, by {gap}.", { place: columns[most], gap });
    },
  };
}
