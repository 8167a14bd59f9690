// @ts-check
// The form of a tab: its widgets, their values by the names of a link's parameters, and what a setting changes in it.
import { find, setText } from "../../widgets/view/dom.js";
import { t } from "../../widgets/view/translate.js";
import { widgets } from "./widgets.js";

/** @typedef {Record<string, any>} Values by the names of a link's parameters */
/** @typedef {ReturnType<typeof createForm>} Form */

/**
 * @param {string} tab
 * @param {Record<string, number>} controls ids of the widgets
 * @param {(values: Values) => void} [adjust] changes the form when a value does
 */
export function createForm(tab, controls, adjust = () => {}) {
  const names = Object.keys(controls);
  const control = (/** @type {string} */ name) =>
    /** @type {import("./widgets.js").Widget} */ (widgets.get(controls[name]));
  /** @returns {Values} */
  const values = () => Object.fromEntries(names.map((name) => [name, control(name).get()]));

  /** Announces the values. */
  function gather() {
    const fresh = values();
    adjust(fresh);
    globalThis.unrolled.gather?.(tab, names, Object.values(fresh));
  }

  /** @param {Values} changes sets the controls without decoding */
  function fill(changes) {
    for (const [name, value] of Object.entries(changes)) if (names.includes(name)) control(name).set(value);
    gather();
  }

  function begin() {
    for (const name of names) control(name).onChange(gather);
  }

  return { names, control, values, gather, fill, begin };
}

/**
 * The changes of the form that a setting causes: other labels, other maxima, and the count of active constraints.
 * @param {import("./start.js").Texts} texts
 */
export function createSettings({ controls, captions, limits, constraints, config }) {
  const elementOf = (/** @type {string} */ name) => /** @type {HTMLElement} */ (widgets.get(controls[name])?.element);
  /** @type {Map<Element, string>} the labels and hints of the page */
  const usual = new Map();

  /** @param {HTMLElement} element @param {string} selector @param {string | undefined} text */
  function rename(element, selector, text) {
    const node = element.querySelector(selector);
    if (!node) return;
    if (!usual.has(node)) usual.set(node, node.textContent ?? "");
    setText(node, text ?? usual.get(node) ?? "");
  }

  const renamed = new Set(Object.values(captions).flatMap((ofStrategy) => Object.keys(ofStrategy)));

  return (/** @type {Record<string, any>} */ values) => {
    for (const name of renamed) {
      const [label, hint] = captions[values.strategy]?.[name] ?? [];
      rename(elementOf(name), ".block-title", label);
      rename(elementOf(name), ".info-text span", hint);
    }
    for (const [name, limit] of Object.entries(limits))
      for (const input of elementOf(name).querySelectorAll("input")) input.max = String(Math.max(1, values[limit]));
    const count = constraints.filter((name) => String(values[name]).trim() !== String(config.defaults[name])).length;
    const title = find(document, "#constraints .label-wrap span");
    setText(title, count ? t("Constraints: {count} active", { count }) : t("Constraints: none"));
  };
}
