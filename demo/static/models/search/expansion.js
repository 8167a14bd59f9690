// The expansion of a beam: from a network's logits to the ranked candidates of a step.

import { UnrolledError } from "../errors.js";
import { NEG_INF } from "./beam.js";
import { forcedOnly, logSoftmax } from "./processors.js";
import { PhraseMatcher } from "./words.js";

/** @typedef {import("./beam.js").Beam} Beam */
/** @typedef {import("./beam.js").Candidates} Candidates */
/** @typedef {import("./loop.js").SearchConditions} SearchConditions */

/**
 * @typedef {object} Expansion
 * @property {Float32Array} logProbs  K * V, the model's own
 * @property {Float32Array} processed  K * V, after the constraints
 * @property {Candidates} candidates
 * @property {number[]} cumulative  C, the model's own cumulative log-probability of each candidate
 * @property {{ token: number, reason: string } | null} forced  the token that this step has to take
 */

/** Applies the constraints of a search to the model's distribution, and lets its strategy rank. */
export class Expander {
  /**
   * @param {import("./strategy.js").Strategy} strategy
   * @param {SearchConditions} conditions
   * @param {import("./random.js").Generator} rng
   */
  constructor(strategy, conditions, rng) {
    this.strategy = strategy;
    this.conditions = conditions;
    this.rng = rng;
    this.matcher = conditions.words
      ? new PhraseMatcher(conditions.words, conditions.maxLength, conditions.eosId)
      : null;
  }

  /** @param {Beam} beam @param {Float32Array} logits  K * V @returns {Expansion} */
  expand(beam, logits) {
    const vocabSize = logits.length / beam.tokens.length;
    const forced = this._forced(beam.length);
    const logProbs = logSoftmax(logits, vocabSize);
    if (Number.isNaN(logProbs[0]))
      throw new UnrolledError(
        "scores_are_no_numbers",
        "The network's scores are no longer numbers: its weights, or the replaced attention, are too " +
          "large. Choose another checkpoint.",
      );
    const withWords = this.matcher ? this.matcher.withProgress(beam) : beam;
    const processed = forced
      ? forcedOnly(logProbs, forced.token, vocabSize)
      : this._processed(logProbs, beam, vocabSize);
    let candidates = this.strategy.expand(processed, withWords, this.rng);
    if (withWords.words) candidates = withWords.words.withBanks(candidates);
    const cumulative = candidates.tokens.map((token, i) => {
      const parent = candidates.parents[i];
      return Math.fround(beam.cumulative[parent] + logProbs[parent * vocabSize + token]);
    });
    return { logProbs, processed, candidates: this.strategy.applyThreshold(candidates), cumulative, forced };
  }

  /** The token that must follow `length` generated ones, if there is one. @param {number} length */
  _forced(length) {
    const { forced } = this.conditions;
    return length < forced.length ? { token: forced[length], reason: "forced" } : null;
  }

  /**
   * The distribution that the strategy sees.
   *
   * @param {Float32Array} logProbs
   * @param {Beam} beam
   * @param {number} vocabSize
   */
  _processed(logProbs, beam, vocabSize) {
    const { processors, banned, minLength, eosId } = this.conditions;
    const never = beam.length < minLength ? [...banned, eosId] : banned;
    const result = processors.reduce((values, process) => process(values, beam), logProbs).slice();
    for (let start = 0; start < result.length; start += vocabSize)
      for (const token of never) result[start + token] = NEG_INF;
    return result;
  }
}
