// @ts-check
// Compares the form with the comparison on the page, and remembers to which source text a reference belongs.
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

/** @typedef {{ text: string, reference: string }} Pair */

/** @type {(one: string, other: string | undefined) => boolean} */
const same = (one, other) => one.trim() === other?.trim();

export function createBelonging() {
  /** @type {Pair | null} the last pair that was filled in or compared */
  let pair = null;
  let latestRun = ""; // the run whose pair was remembered

  return {
    /**
     * Notes a text and its reference, filled in together. A change of the checkpoint's variant keeps the pair.
     * @param {Pair} candidate
     */
    filledIn(candidate) {
      if (!same(candidate.reference, pair?.reference)) pair = candidate;
    },
    /**
     * Notes a compared pair. Only the first result of a run counts, since the form may have changed after it began.
     * @param {string} run
     * @param {Pair} compared
     */
    compared(run, compared) {
      if (run !== latestRun) this.filledIn(compared);
      latestRun = run;
    },
    /**
     * Notes a pair before its comparison. Returns the reference if it belongs to the text, otherwise an empty text.
     * @param {Pair} asked
     */
    belongingReference(asked) {
      const belongs = !pair || asked.text === pair.text || !same(asked.reference, pair.reference);
      pair = belongs ? asked : { ...asked, reference: "" };
      return pair.reference;
    },
  };
}
