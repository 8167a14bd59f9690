// Sampling, and the choice among samples by minimum Bayes risk.

import { minPOnly, nucleus, softmax, topKOnly } from "../search/processors.js";
import { LengthNormalizer, Strategy } from "../search/strategy.js";
import { signature, utilityMatrix } from "../utility.js";

/** @import { Options } from "./table.js" */

/** Ancestral sampling of independent sequences: temperature, top-k, top-p, min-p. */
export class Sampling extends Strategy {
  name = "sampling";
  rowsCompete = false;

  /** @param {Options} options */
  constructor(options) {
    super();
    this.width = options.num_samples;
    this.options = options;
    this.normalizer = new LengthNormalizer();
    const { num_samples, temperature, top_k, top_p, min_p } = options;
    this.settings = { num_samples, temperature, top_k, top_p, min_p };
  }

  /** Every sample is a separate chain from the first step. */
  get numStarts() {
    return this.width;
  }

  /** Draw one token for each row by inversion. @type {Strategy["expand"]} */
  expand(logProbs, beam, rng) {
    const vocabSize = logProbs.length / beam.tokens.length;
    const uniform = rng.uniform(beam.tokens.length);
    const tokens = uniform.map((number, row) =>
      this._drawn(logProbs.subarray(row * vocabSize, (row + 1) * vocabSize), number),
    );
    return {
      parents: tokens.map((_, row) => row),
      tokens,
      rankScores: tokens.map((token, row) => Math.fround(beam.rankScores[row] + logProbs[row * vocabSize + token])),
    };
  }

  /** @param {Float32Array} row */
  chances(row) {
    const { temperature, top_k: k, top_p: p, min_p: least } = this.options;
    const tempered = row.map((value) => value / temperature);
    return softmax(minPOnly(nucleus(topKOnly(tempered, k), p), least));
  }

  /**
   * The token at which a uniform number cuts the cumulative distribution of a row (V).
   * @type {(row: Float32Array, uniform: number) => number}
   */
  _drawn(row, uniform) {
    let total = 0;
    const cumulative = this.chances(row).map((probability) => {
      total += probability;
      return total;
    });
    const threshold = Math.fround(uniform * cumulative[cumulative.length - 1]);
    const token = cumulative.findIndex((value) => value > threshold);
    return token < 0 ? row.length - 1 : token;
  }
}

/** The sample that the others agree with most (Kumar and Byrne 2004; Eikema and Aziz 2020). */
export class MinimumBayesRisk extends Sampling {
  name = "mbr";

  /** @param {Options} options @param {string} [language]  of the outputs (BCP 47) */
  constructor(options, language = "") {
    super(options);
    this.language = language;
    this.settings = { ...this.settings, utility: options.utility };
  }

  /** Sort the hypotheses by expected utility. @type {Strategy["rerank"]} */
  rerank(hypotheses) {
    if (!hypotheses.length) return { hypotheses, utilities: null };
    const { utility } = this.options;
    const texts = hypotheses.map(({ text }) => text);
    const matrix = utilityMatrix(texts, utility, this.language);
    const expected = matrix.map((row) => exactSum(row) / row.length);
    const order = [...expected.keys()].sort((one, other) => expected[other] - expected[one]);
    return {
      hypotheses: order.map((i) => ({ ...hypotheses[i], utility: expected[i] })),
      utilities: {
        metric: utility,
        signature: signature(utility, this.language),
        matrix: order.map((row) => order.map((column) => matrix[row][column])),
      },
    };
  }
}

/** The sum, the same for the same numbers in another order: the smallest are added first. @param {number[]} values */
const exactSum = (values) => [...values].sort((one, other) => one - other).reduce((sum, value) => sum + value, 0);
