// @ts-check
// Whether the reader has done what a step asks for: `strategy=beam & beam_size>=8`, in the names of links.

import { readChoices } from "../../shared/answers/choices.js";

/** @typedef {Record<string, string>} Values by the names of a link's parameters */

const CONDITION = /^([\w.]+)\s*(>=|<=|!=|=|>|<)\s*(.*)$/;

/**
 * What a query says, with `lab.order` for what is chosen in a lab and `inspect.kind` in a view.
 * @param {string} query
 * @param {Record<string, any>} defaults of parameters that a link leaves out
 * @returns {Values}
 */
export function valuesOf(query, defaults) {
  /** @type {Values} */
  const values = Object.fromEntries(Object.entries(defaults).map(([name, value]) => [name, String(value)]));
  for (const [name, value] of new URLSearchParams(query)) {
    values[name] = value;
    if (name !== "lab" && name !== "inspect") continue;
    const read = readChoices(value);
    values[name] = read?.view ?? "";
    for (const [control, chosen] of Object.entries(read?.chosen ?? {})) values[`${name}.${control}`] = String(chosen);
  }
  return values;
}

/**
 * @param {string} condition
 * @param {Values} now
 * @param {Values} before as the step opened it; `text!=` alone means another one than there
 */
function holds(condition, now, before) {
  const found = CONDITION.exec(condition.trim());
  if (!found) return false;
  const [, name, sign, wanted] = found;
  const value = now[name] ?? "";
  if (sign === "=") return value === wanted;
  if (sign === "!=") return value !== (wanted || before[name] || "");
  if (value === "") return false;
  const [one, other] = [Number(value), Number(wanted)];
  if (sign === ">=") return one >= other;
  if (sign === "<=") return one <= other;
  return sign === ">" ? one > other : one < other;
}

/**
 * What a page says before a step's state has arrived on it is nothing that the reader has done: a condition
 * counts once its parameter has been seen as the step opened it, or the condition unfulfilled.
 */
export function createArrival() {
  /** @type {Set<string>} */
  const seen = new Set();
  return {
    /** A step opens a state: what is on the page is the state before. */
    opened: () => seen.clear(),
    /** @type {(now: Values, before: Values) => void} */
    look(now, before) {
      for (const name of Object.keys({ ...now, ...before }))
        if ((now[name] ?? "") === (before[name] ?? "")) seen.add(name);
    },
    /** @type {(conditions: string, now: Values, before: Values) => boolean} */
    isDone(conditions, now, before) {
      const each = conditions.split("&");
      for (const condition of each) if (!holds(condition, now, before)) seen.add(nameIn(condition));
      return isDone(conditions, now, before) && each.every((condition) => seen.has(nameIn(condition)));
    },
  };
}

/** @param {string} condition */
const nameIn = (condition) => CONDITION.exec(condition.trim())?.[1] ?? "";

/**
 * @type {(conditions: string, now: Values, before: Values) => boolean}
 */
export const isDone = (conditions, now, before) =>
  conditions.split("&").every((condition) => holds(condition, now, before));
