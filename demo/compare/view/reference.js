// @ts-check
// Remembers to which source text a reference belongs, so that it is not used for another text.

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
