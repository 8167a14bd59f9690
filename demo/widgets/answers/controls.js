// @ts-check
// The controls of an answer (of Inspect, a lab, an evaluation or Compare), as Python declares them.
import { asData, make } from "../view/dom.js";
import { numberText } from "../view/numbers.js";

/**
 * @typedef {object} Control see demo/widgets/answers/controls.py
 * @property {"select" | "number" | "text"} kind
 * @property {string} name
 * @property {string} label
 * @property {any} value
 * @property {[value: string, shown: string][]} [options] of a select
 * @property {number} [low] of a number, as are the next two
 * @property {number} [high]
 * @property {number} [step]
 */

/**
 * @param {Control} control
 * @param {(value: string | number) => void} choose
 */
export function makeControl(control, choose) {
  const parts = MAKERS[control.kind](control, choose);
  return make("label", "tv-inspect-control", make("span", "", control.label), ...parts);
}

/** @type {Record<Control["kind"], (control: Control, choose: (value: string | number) => void) => HTMLElement[]>} */
const MAKERS = {
  select({ options = [], value }, choose) {
    const select = make("select", "", ...options.map(([name, text]) => asData(new Option(text, name))));
    select.value = value;
    select.addEventListener("change", () => choose(select.value));
    return [select];
  },
  number({ low = 0, high = 1, step = 1, value }, choose) {
    const readout = make("output", "tv-number", shortText(value));
    const range = Object.assign(make("input"), { type: "range", min: low, max: high, step });
    range.value = String(value);
    range.addEventListener("input", () => {
      readout.textContent = shortText(Number(range.value));
    });
    range.addEventListener("change", () => choose(Number(range.value)));
    return [range, readout];
  },
  text({ value }, choose) {
    const box = Object.assign(make("textarea"), { rows: 1, value, spellcheck: false });
    box.addEventListener("change", () => choose(box.value));
    return [box];
  },
};

/**
 * Updates a control's value, which may depend on the step and on other controls, unless the reader is using it.
 * @param {Element} line
 * @param {Control} control
 */
export function setControl(line, { value }) {
  const input = /** @type {HTMLInputElement} */ (line.querySelector("select, input, textarea"));
  if (input.matches(":focus")) return;
  input.value = String(value);
  const readout = line.querySelector("output");
  if (readout) readout.textContent = shortText(value);
}

/** @param {number} value */
const shortText = (value) => (Number.isInteger(value) ? String(value) : numberText(value));
