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
     * Both were filled in together. If only the checkpoint's variant changed, the pair stays as it was.
     * @param {Pair} candidate
     */
    filledIn(candidate) {
      if (!same(candidate.reference, pair?.reference)) pair = candidate;
    },
    /**
     * Both were compared. Only the first result of a run counts, since the form may have changed after it began.
     * @param {string} run
     * @param {Pair} compared
     */
    compared(run, compared) {
      if (run !== latestRun) this.filledIn(compared);
      latestRun = run;
    },
    /**
     * Both are about to be compared. Returns the reference if it belongs to the text, else an empty text.
     * @param {Pair} asked
     */
    checked(asked) {
      const belongs = !pair || asked.text === pair.text || !same(asked.reference, pair.reference);
      pair = belongs ? asked : { ...asked, reference: "" };
      return pair.reference;
    },
  };
}
