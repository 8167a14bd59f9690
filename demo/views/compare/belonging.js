// @ts-check
// A reference is a translation of one source text: it is not taken for one of another.

/** @typedef {{ text: string, reference: string }} Pair */

/** @type {(one: string, other: string | undefined) => boolean} */
const same = (one, other) => one.trim() === other?.trim();

export function createBelonging() {
  /** @type {Pair | null} what was given, or compared, together last */
  let pair = null;
  let seen = ""; // the run whose pair was taken

  return {
    /**
     * Both were filled in. Where only the checkpoint's variant changed, they are what they were.
     * @param {Pair} given
     */
    given(given) {
      if (!same(given.reference, pair?.reference)) pair = given;
    },
    /**
     * Both were compared. Only what comes of a run first counts: the form may have been filled in anew since.
     * @param {string} run
     * @param {Pair} compared
     */
    compared(run, compared) {
      if (run !== seen) this.given(compared);
      seen = run;
    },
    /**
     * Both are about to be compared: the reference if it belongs to the text, else nothing.
     * @param {Pair} asked
     */
    checked(asked) {
      const belongs = !pair || asked.text === pair.text || !same(asked.reference, pair.reference);
      pair = belongs ? asked : { ...asked, reference: "" };
      return pair.reference;
    },
  };
}
