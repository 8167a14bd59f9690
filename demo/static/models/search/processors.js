// Pure functions on log-probabilities: constraints on all rows (K * V), truncations of one row (V).
// They never write into their argument, but may return it unchanged.

import { softmaxRows } from "../linear.js";
import { NEG_INF, rankedTopK } from "./beam.js";

/** @import { Beam } from "./beam.js" */
/** @typedef {(logProbs: Float32Array, beam: Beam) => Float32Array} LogitsProcessor */

const ROUNDING = 1e-6; // error of a sum of probabilities in floating point

/** Ban tokens that would repeat an n-gram of the row. @param {number} size @returns {LogitsProcessor} */
export const noRepeatNgram = (size) => (logProbs, beam) => {
  if (beam.length < size) return logProbs;
  const result = logProbs.slice();
  const vocabSize = logProbs.length / beam.tokens.length;
  for (const [row, tokens] of beam.tokens.entries())
    for (let start = 0; start + size <= tokens.length; start++) {
      const repeats = tokens
        .slice(start, start + size - 1)
        .every((token, i) => token === tokens[tokens.length - size + 1 + i]);
      if (repeats) result[row * vocabSize + tokens[start + size - 1]] = NEG_INF;
    }
  return result;
};

/** Multiply the log-probabilities of tokens that the row holds already. @type {(penalty: number) => LogitsProcessor} */
export const repetitionPenalty = (penalty) => (logProbs, beam) => {
  const result = logProbs.slice();
  const vocabSize = logProbs.length / beam.tokens.length;
  for (const [row, tokens] of beam.tokens.entries())
    for (const token of tokens) result[row * vocabSize + token] = logProbs[row * vocabSize + token] * penalty;
  return result;
};

/** Set all but one token to -inf. @type {(logProbs: Float32Array, token: number, vocabSize: number) => Float32Array} */
export function forcedOnly(logProbs, token, vocabSize) {
  const result = new Float32Array(logProbs.length).fill(NEG_INF);
  for (let i = token; i < logProbs.length; i += vocabSize) result[i] = logProbs[i];
  return result;
}

/**
 * Set all but the k highest of a row (V) to -inf; k = 0 keeps all.
 * @type {(row: Float32Array, k: number) => Float32Array}
 */
export function topKOnly(row, k) {
  if (k === 0 || k >= row.length) return row;
  const best = rankedTopK(row, k);
  const lowest = row[best[best.length - 1]];
  return row.map((value) => (value < lowest ? NEG_INF : value));
}

/** Set all but the smallest set of tokens of probability p to -inf. @param {Float32Array} row  V @param {number} p */
export function nucleus(row, p) {
  if (p >= 1) return row;
  const order = Array.from(row.keys()).sort((one, other) => row[other] - row[one] || one - other);
  const result = row.slice();
  const weights = order.map((i) => Math.exp(row[i] - row[order[0]]));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let before = 0;
  for (const [rank, i] of order.entries()) {
    // A token stays while the ones before it have not reached p: so at least one does.
    if (before >= p - ROUNDING) result[i] = NEG_INF;
    before += weights[rank] / total;
  }
  return result;
}

/**
 * Set all below p times the highest probability of a row (V) to -inf; p = 0 keeps all.
 * @type {(row: Float32Array, p: number) => Float32Array}
 */
export function minPOnly(row, p) {
  if (p === 0) return row;
  const probs = softmax(row);
  const highest = probs.reduce((most, value) => Math.max(most, value), 0);
  return row.map((value, i) => (probs[i] < (p - ROUNDING) * highest ? NEG_INF : value));
}

/** The probabilities of a row (V), in single precision. @param {Float32Array} row */
export const softmax = (row) => softmaxRows(row.slice(), row.length);

/**
 * Log-probabilities of the rows of logits (K * V), in single precision.
 * @type {(logits: Float32Array, vocabSize: number) => Float32Array}
 */
export function logSoftmax(logits, vocabSize) {
  const result = new Float32Array(logits.length);
  for (let start = 0; start < logits.length; start += vocabSize) {
    let [largest, total] = [NEG_INF, 0];
    for (let i = start; i < start + vocabSize; i++) if (logits[i] > largest) largest = logits[i];
    for (let i = start; i < start + vocabSize; i++) total += Math.exp(logits[i] - largest);
    const shift = largest + Math.log(total);
    for (let i = start; i < start + vocabSize; i++) result[i] = logits[i] - shift;
  }
  return result;
}
