// @ts-check
// Compares the form with the comparison on the page.
import { isSame } from "../../decode/scripts/recent_results.js";

/** @typedef {Record<string, any>} Values by the names of a link's parameters */

/** @type {(one: Values, other: Values, defaults: Values) => boolean} */
function isSameStrategy(one, other, defaults) {
  const names = Object.keys({ ...one, ...other }).filter((name) => name in defaults);
  return names.every((name) => isSame(one[name] ?? defaults[name], other[name] ?? defaults[name]));
}

/**
 * @param {Values} form
 * @param {Values} request
 * @param {Values} defaults of a strategy's settings, without the maximum length, which depends on the checkpoint
 */
export function matchesComparison(form, request, defaults) {
  if (form.mode === "strategies") {
    const { strategies = [] } = request;
    return (
      !request.sides &&
      ["checkpoint", "text", "reference"].every((name) => isSame(form[name], request[name])) &&
      form.strategies.length === strategies.length &&
      strategies.every((/** @type {Values} */ strategy, /** @type {number} */ at) =>
        isSameStrategy(strategy, form.strategies[at], defaults),
      )
    );
  }
  const [left, right] = request.sides ?? [{}, {}];
  const other = form.mode === "checkpoints" ? [form.other_checkpoint, form.text] : [form.checkpoint, form.other_text];
  const sides = [form.checkpoint, form.text, ...other];
  const compared = [left.checkpoint, left.text, right.checkpoint, right.text];
  const isSamePair = sides.every((value, index) => isSame(value, compared[index]));
  return isSamePair && isSameStrategy(request.settings ?? {}, form.strategy?.[0] ?? {}, defaults);
}
