// @ts-check
// Scores under another length penalty, as in `models/decoding/search/strategy.py`.

/** @typedef {"none" | "power" | "gnmt"} Kind of a normaliser */
/** @typedef {{ kind: Kind, alpha: number }} Normalizer */

/** @type {Record<Kind, (length: number) => number>} */
const LENGTH_BASES = { none: () => 1, power: (length) => length, gnmt: (length) => (5 + length) / 6 };

/**
 * The base that is raised to the power of alpha.
 * @param {Kind} kind
 * @param {number} length tokens, the end token included
 */
export const lengthBase = (kind, length) => LENGTH_BASES[kind](length);

/**
 * Indices from the best score to the worst; equal scores keep their order.
 * @param {number[]} scores
 */
export const sortedIndices = (scores) => [...scores.keys()].sort((one, other) => scores[other] - scores[one]);
