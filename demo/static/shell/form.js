// @ts-check
// The form of a tab: its widgets, and their values by the names of a link's parameters.
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
