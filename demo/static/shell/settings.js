// @ts-check
// The changes of the form that a setting causes: other labels, other maxima, and the count of active constraints.
import { find, setText } from "../../widgets/view/dom.js";
import { t } from "../../widgets/view/translate.js";
import { widgets } from "./widgets.js";

/** @param {import("./start.js").Texts} texts */
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
