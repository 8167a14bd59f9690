// Ancestral sampling of independent sequences: temperature, top-k, top-p, min-p.

import { minPOnly, nucleus, softmax, topKOnly } from "../search/processors.js";
import { LengthNormalizer, Strategy } from "../search/strategy.js";

export class Sampling extends Strategy {
  name = "sampling";
  rowsCompete = false;

  /** @param {import("./table.js").Options} options */
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

  /**
   * Draw one token for each row by inversion.
   * @param {Float32Array} logProbs
   * @param {import("../search/beam.js").Beam} beam
   * @param {import("../search/random.js").Generator} rng
   */
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
    const tempered = nucleus(
      topKOnly(
        row.map((value) => value / temperature),
        k,
      ),
      p,
    );
    return softmax(minPOnly(tempered, least));
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
