// Beam search, as Hugging Face's `generate` runs it.

import { bestExpansions } from "../search/beam.js";
import { LengthNormalizer, Strategy } from "../search/strategy.js";

/** @typedef {import("./table.js").Options} Options */

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

  /** @param {Float32Array} logProbs @param {import("../search/beam.js").Beam} beam */
  expand(logProbs, beam) {
    return bestExpansions(logProbs, beam, 2 * this.width);
  }

  /**
   * @param {number} bestRunning
   * @param {number} length
   * @param {import("../search/beam.js").BeamHypotheses} hypotheses
   * @param {number} maxLength
   */
  isDone(bestRunning, length, hypotheses, maxLength) {
    if (this.earlyStopping === true) return true;
    const atMaxLength = this.earlyStopping === "never" && this.normalizer.alpha > 0;
    return this.normalizer.score(bestRunning, atMaxLength ? maxLength : length) <= hypotheses.worst;
  }
}
