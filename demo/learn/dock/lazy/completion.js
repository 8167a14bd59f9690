// @ts-check
// Checks whether the reader has done what a step asks for: `strategy=beam & beam_size>=8`, in the names of links; and
// the link to the current tab. A link to a comparison is computed later, and requested once for each comparison.

import { resultQuery } from "../../../links/scripts/address.js";
import { freshLink, link } from "../../../links/scripts/links.js";
import { readChoices } from "../../../widgets/answers/questions.js";

/** @typedef {Record<string, string>} Values by the names of a link's parameters */

const CONDITION = /^([\w.]+)\s*(>=|<=|!=|=|>|<)\s*(.*)$/;

/**
 * The values of a query, with `lab.order` for a choice in a lab and `inspect.kind` for one in a view of Inspect.
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
    for (const [control, chosen] of Object.entries(read?.choices ?? {})) values[`${name}.${control}`] = String(chosen);
  }
  return values;
}

/**
 * @param {string} condition
 * @param {Values} now
 * @param {Values} before as the step opened it; a bare `text!=` compares with this value
 */
function holds(condition, now, before) {
  const match = CONDITION.exec(condition.trim());
  if (!match) return false;
  const [, name, sign, wanted] = match;
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
 * The page still shows the last step's state until the new one arrives, and the reader has not changed it: a condition
 * counts once its parameter had the value that the step sets, or the condition was false.
 */
export function createArrival() {
  /** @type {Set<string>} */
  const arrived = new Set();
  let isChanged = false;
  return {
    /** Notes that a step's state is requested and has not arrived yet. @param {boolean} changed by the reader before */
    opened(changed) {
      arrived.clear();
      isChanged = changed;
    },
    /** Notes which parameters have the value that the step sets. @type {(now: Values, before: Values) => void} */
    note(now, before) {
      for (const name of Object.keys({ ...now, ...before }))
        if ((now[name] ?? "") === (before[name] ?? "")) arrived.add(name);
    },
    /** @type {(conditions: string, now: Values, before: Values) => boolean} */
    isDone(conditions, now, before) {
      const all = conditions.split("&");
      for (const condition of all) if (!holds(condition, now, before)) arrived.add(nameIn(condition));
      return isDone(conditions, now, before) && (isChanged || all.every((condition) => arrived.has(nameIn(condition))));
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

let compared = ""; // the query of the current comparison; empty until its controls have answered
let comparison = ""; // the number of the comparison for which it was requested

function comparedQuery() {
  const ready = /** @type {HTMLElement | null} */ (document.querySelector("#comparison .compare"))?.dataset.ready;
  if (ready && ready !== comparison) {
    comparison = ready;
    compared = "";
    freshLink("compare").then((fresh) => {
      compared = fresh ? new URL(fresh.href).search : "";
    });
  }
  return compared;
}

/**
 * The query of a link to what a tab shows; empty while it is not known.
 * @param {string} tab
 */
export const shownQuery = (tab) =>
  ({ decode: resultQuery, compare: comparedQuery })[tab]?.() ?? new URL(link(tab, []).href).search;
