// Greedy decoding, beam search, and beam search with a threshold.

import { bestExpansions, NEG_INF } from "../search/beam.js";
import { LengthNormalizer, Strategy } from "../search/strategy.js";
import { bestOfBank } from "../search/words.js";

/** @import { Options } from "./table.js" */

const ROUNDING = 1e-6;

/** The most probable token at each step, ties to the lower id. */
export class Greedy extends Strategy {
  name = "greedy";
  rowsCompete = false;

  /** @type {Strategy["expand"]} */
  expand(logProbs, beam) {
    return bestExpansions(logProbs, beam, 2);
  }
}

/** Beam search, as Hugging Face's `generate` runs it. */
export class BeamSearch extends Strategy {
  name = "beam";

  /** @param {Pick<Options, "beam_size" | "length_penalty" | "normalizer" | "early_stopping">} options */
  constructor(options) {
    super();
    this.width = options.beam_size;
    this.normalizer = new LengthNormalizer(options.normalizer, options.length_penalty);
    this.earlyStopping = { true: true, false: false }[options.early_stopping] ?? options.early_stopping;
    this.settings = { beam_size: options.beam_size, early_stopping: this.earlyStopping };
  }

  /** @type {Strategy["expand"]} */
  expand(logProbs, beam) {
    return bestExpansions(logProbs, beam, 2 * this.width);
  }

  /** @type {Strategy["isDone"]} */
  isDone(bestRunning, length, hypotheses, maxLength) {
    if (this.earlyStopping === true) return true;
    const atMaxLength = this.earlyStopping === "never" && this.normalizer.alpha > 0;
    return this.normalizer.score(bestRunning, atMaxLength ? maxLength : length) <= hypotheses.worst;
  }
}

/** Beam search that drops what falls too far behind (Freitag and Al-Onaizan 2017). */
export class ThresholdBeamSearch extends BeamSearch {
  name = "threshold";

  /** @param {Options} options */
  constructor(options) {
    super(options);
    this.margin = Math.fround(Math.log(Math.fround(options.threshold)));
    this.settings = { ...this.settings, threshold: options.threshold };
  }

  /** @type {Strategy["applyThreshold"]} */
  applyThreshold(candidates) {
    const { rankScores, banks } = candidates;
    const best = banks ? bestOfBank(candidates) : rankScores.map(() => rankScores[0]);
    const reasons = rankScores.map((score, i) => {
      const least = best[i] + this.margin - ROUNDING * (1 - best[i]);
      return score > NEG_INF && score < Math.fround(least) ? "threshold" : null;
    });
    return { ...candidates, reasons };
  }
}
