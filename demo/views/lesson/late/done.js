// @ts-check
// Whether the reader has done what a step asks for: `strategy=beam & beam_size>=8`, in the names of links.

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
    const [first, ...chosen] = value.split(",");
    values[name] = first;
    for (const part of chosen) {
      const at = part.indexOf(":");
      if (at > 0) values[`${name}.${part.slice(0, at)}`] = part.slice(at + 1);
    }
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
 * @type {(conditions: string, now: Values, before: Values) => boolean}
 */
export const isDone = (conditions, now, before) =>
  conditions.split("&").every((condition) => holds(condition, now, before));
