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

/** The output that a row of several lines is about, or its token. @param {string} row */
export const outputOf = (row) => row.split(" → ")[1] ?? row;

/** @type {Ask} */
export const drawing = (prediction, predict) =>
  (prediction.rows?.length ? drawAlignment : drawCurve)(prediction, predict);

/** @type {Ask} */
function drawAlignment({ rows = [], columns = [], options }, predict) {
  const sorts = options.length > 0; // outputs, with their source and a right translation, into kinds

  /** @type {(number | null)[]} */
  const marked = rows.map(() => null);
  const heads = columns.map((column) => make("th", "", asData(make("span", "", column))));
  const table = make("table", sorts ? "ls-sorts" : "ls-grid", make("tr", "", make("td"), ...heads));

  const cells = rows.map((label, row) => {
    const buttons = columns.map((column, index) => {
      const button = makeButton("ls-cell", () => {
        marked[row] = index;
        mark(row);
      });
      if (sorts) button.append(column);
      button.setAttribute("aria-label", `${outputOf(label)} → ${column}`);
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
    const texts = label.split(" → ").map((line) => make("div", "", line));
    table.append(make("tr", "", asData(make("th", "", ...texts)), ...buttons.map((button) => make("td", "", button))));
    return buttons;
  });

  /** @param {number} row */
  function mark(row) {
    for (const [index, button] of cells[row].entries())
      button.setAttribute("aria-pressed", String(marked[row] === index));
    button.disabled = marked.some((column) => column === null);
  }

  const button = makeButton("ls-do", () => predict(marked), t("Predict"));
  const hint = sorts
    ? t("Source, output, right translation. Choose the kind that fits each output best.")
    : t("Mark one cell in each row: where does the model look?");
  const element = make("div", "ls-draw", make("p", "ls-hint", hint), make("div", "ls-scroll", table), button);
  for (const row of rows.keys()) mark(row);
  return {
    element,
    reveal(chosen, { answer }) {
      button.hidden = true;
      for (const [row, buttons] of cells.entries())
        for (const [index, cell] of buttons.entries()) {
          cell.disabled = true;
          cell.style.setProperty("--weight", String(answer.values[row][index]));
          cell.setAttribute("aria-pressed", String(chosen?.[row] === index));
          if (!sorts) cell.title = `${Math.round(100 * answer.values[row][index])}%`;
        }
      if (chosen === undefined) return "";
      const right = rows.filter((_, row) => chosen[row] === strongest(answer.values[row]));
      const counts = { count: right.length, all: rows.length };
      if (sorts) return t("You named {count} of {all} as this lesson does.", counts);
      return t("In {count} of {all} rows your cell is the one with most attention.", counts);
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

  const within = (/** @type {number} */ value) => Math.min(Math.max(value, low), high);

  /** @type {(index: number, value: number) => void} */
  function set(index, value) {
    values[index] = within(value);
    draw();
  }

  /** @type {(shape: Element, drawn: number[]) => void} */
  const trace = (shape, drawn) =>
    shape.setAttribute("points", drawn.map((value, index) => `${x(index)},${y(value)}`).join(" "));

  function draw() {
    trace(line, values);
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
      /** @type {number[]} */
      const actual = answer.values.map((/** @type {number} */ value) => within(value));
      const modelLine = svgNode("polyline", { class: "ls-model" });
      trace(modelLine, actual);
      svg.append(modelLine);
      if (chosen === undefined) return "";
      const gaps = actual.map((value, index) => Math.abs(value - chosen[index]));
      const most = strongest(gaps);
      const gap = Math.round(gaps[most]);
      return t("Your curve is off most at {place}, by {gap}.", { place: columns[most], gap });
    },
  };
}
