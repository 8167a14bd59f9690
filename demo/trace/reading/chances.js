// @ts-check
// The distribution that a strategy chose by at a step: as it was recorded, or as it would be with other settings.
import { sortedIndices } from "../../widgets/view/numbers.js";

/** @import { Row } from "./trace.js" */
/** @typedef {{ temperature?: number, top_k?: number, top_p?: number, min_p?: number }} Truncation */

/**
 * @typedef {object} Chances
 * @property {number[]} listed the probabilities of the row's tokens, in their order
 * @property {number} rest that of all other tokens together
 * @property {boolean} exact false: the single probabilities of the others are not known, and they matter
 */

const ROUNDING = 1e-6; // the same in models/decoding/search/constraints.py

const sum = (/** @type {number[]} */ values) => values.reduce((total, value) => total + value, 0);

/**
 * The recorded distribution; null if it is the model's logProbs. A search ranks by probabilities that it does not rescale
 * when some tokens are banned.
 * @param {Row} row
 * @param {boolean} draws whether the strategy draws its tokens
 * @returns {Chances | null}
 */
export function recordedChances({ top, chances }, draws) {
  if (!chances) return null;
  const rest = 1 - sum(draws ? chances : top.map(({ log_prob }) => Math.exp(log_prob)));
  return { listed: chances, rest: rest > 10 * ROUNDING ? rest : 0, exact: true }; // recorded numbers are rounded
}

/**
 * The distribution that a draw would have with other settings. Of the tokens that are not listed, only their total
 * and their entropy are known: the sum of their powers is estimated by its tangent at temperature 1, a lower limit.
 * @param {Row} row
 * @param {Truncation} truncation
 * @returns {Chances}
 */
export function reshapedChances({ top, allowed, entropy }, truncation) {
  const { temperature = 1, top_k: k = 0, top_p: p = 1, min_p: least = 0 } = truncation;
  const logProbs = top.map(({ log_prob }) => log_prob);
  const logs = allowed ?? logProbs;
  const weights = logs.map((value) => Math.exp(value / temperature));
  const total = Math.max(0, 1 - sum(logProbs.map(Math.exp)));
  const spread = entropy + sum(logProbs.map((value) => (value > -Infinity ? Math.exp(value) * value : 0)));
  let rest = total > ROUNDING ? total * Math.exp((1 - 1 / temperature) * (Math.max(0, spread) / total)) : 0;
  // None of them is likelier than a listed one, which limits the sum from above when a temperature sharpens.
  const largest = Math.min(...logProbs);
  if (temperature < 1) rest = Math.sqrt(rest * total * Math.exp((1 / temperature - 1) * largest));
  let exact = rest === 0 || temperature === 1;
  const order = sortedIndices(weights);
  const possible = weights.filter((weight) => weight > 0).length;
  if (k > 0 && k <= possible) {
    for (const index of order) if (weights[index] < weights[order[k - 1]]) weights[index] = 0;
    [rest, exact] = [0, true];
  } else if (k > 0 && rest > 0) {
    rest = Math.min(rest, (k - possible) * Math.exp(largest / temperature));
    exact = false;
  }
  if (p < 1) {
    const all = sum(weights) + rest;
    let before = 0;
    for (const index of order) {
      const share = weights[index] / all;
      if (before >= p - ROUNDING) weights[index] = 0;
      before += share;
    }
    // Some of the other tokens stay if the listed ones do not reach p.
    const missing = Math.max(0, p - ROUNDING - before) * all;
    if (missing > 0) exact = false;
    rest = Math.min(rest, missing);
  }
  const floor = (least - ROUNDING) * Math.max(...weights);
  if (least > 0) {
    for (const index of order) if (weights[index] < floor) weights[index] = 0;
    if (Math.exp(largest / temperature) < floor) [rest, exact] = [0, exact || p >= 1];
    else if (rest > 0) exact = false;
  }
  const all = sum(weights) + rest;
  return { listed: weights.map((weight) => weight / all), rest: rest / all, exact };
}
