// Stochastic beam search: a beam that samples sequences without replacement (Kool et al. 2019).

import { expansions, NEG_INF, rankedValues } from "../search/beam.js";
import { Strategy } from "../search/strategy.js";

/** @import { Generator } from "../search/random.js" */

export class StochasticBeamSearch extends Strategy {
  name = "stochastic";

  /** @param {import("./table.js").Options} options */
  constructor({ beam_size: size, temperature }) {
    super();
    this.width = size;
    this.temperature = temperature;
    this.settings = { beam_size: size, temperature };
  }

  /** @param {Float32Array} row */
  chances(row) {
    return Float32Array.from(applyTemperature(row, this.temperature), Math.exp);
  }

  /** Draw by Gumbel noise, in double precision. @type {Strategy["expand"]} */
  expand(logProbs, beam, rng) {
    const rows = beam.tokens.length;
    const vocabSize = logProbs.length / rows;
    // At the root nothing conditions the draws.
    const maximum = beam.tempered ? beam.rankScores : gumbel(rows, rng);
    const before = beam.tempered ?? Array(rows).fill(0);
    const phi = new Float64Array(logProbs.length);
    for (let row = 0; row < rows; row++) {
      const part = applyTemperature(logProbs.subarray(row * vocabSize, (row + 1) * vocabSize), this.temperature);
      for (let i = 0; i < vocabSize; i++) phi[row * vocabSize + i] = before[row] + part[i];
    }
    const perturbed = conditionalGumbel(phi, maximum, rng);
    const ranked = rankedValues(perturbed, 2 * this.width, beam.words);
    return { ...expansions(ranked, vocabSize), tempered: ranked.flat.map((index) => phi[index]) };
  }

  /** Select the k largest among candidates and finished sequences together. @type {Strategy["select"]} */
  select({ rankScores, ends }, hypotheses) {
    const survivors = [];
    const finished = [];
    for (const [rank, value] of rankScores.entries()) {
      const better = rank + hypotheses.sequences.filter(({ key }) => key > value).length;
      if (value > NEG_INF && better < this.width) (ends[rank] ? finished : survivors).push(rank);
    }
    return { survivors, finished };
  }
}

/** Gumbel(0) variates. @type {(count: number, rng: Generator) => number[]} */
const gumbel = (count, rng) => Array.from(rng.exponential(count), (value) => -Math.log(value));

/**
 * Log-probabilities of a row (V) at a temperature, in double precision.
 * @type {(row: Float32Array, temperature: number) => Float64Array}
 */
function applyTemperature(row, temperature) {
  const scaled = Float64Array.from(row, (value) => value / temperature);
  const largest = scaled.reduce((most, value) => Math.max(most, value), NEG_INF);
  const total = scaled.reduce((sum, value) => sum + Math.exp(value - largest), 0);
  const shift = largest + Math.log(total);
  return scaled.map((value) => (value === NEG_INF ? NEG_INF : value - shift));
}

/**
 * Return Gumbel(phi) variates whose largest in each row is `maximum`: phi (K * V), maximum (K).
 * Kool et al. 2019, appendix B.3; -inf where phi or maximum is.
 * @type {(phi: Float64Array, maximum: number[], rng: Generator) => Float64Array}
 */
function conditionalGumbel(phi, maximum, rng) {
  const vocabSize = phi.length / maximum.length;
  const drawn = Float64Array.from(gumbel(phi.length, rng), (value, i) => phi[i] + value);
  for (const [row, top] of maximum.entries()) {
    const part = drawn.subarray(row * vocabSize, (row + 1) * vocabSize);
    const largest = part.reduce((most, value) => Math.max(most, value), NEG_INF);
    for (const [i, value] of part.entries()) {
      const v = top - value + Math.log1p(-Math.exp(value - largest));
      const conditioned = top - Math.max(v, 0) - Math.log1p(Math.exp(-Math.abs(v)));
      part[i] = value === NEG_INF || top === NEG_INF ? NEG_INF : conditioned;
    }
  }
  return drawn;
}
