// @ts-check
// Rows of attention in the reader's view: by tokens or by words, complete or only the strongest weights.
import { sortedIndices } from "./scores.js";
import { groupAt, pathGroups, sourceGroups } from "./words.js";

/** @import { State } from "./selection.js" */
/** @import { Node } from "./trace.js" */

/**
 * The weights, all zero but the smallest set of the largest weights that reaches a share of their sum.
 * @param {number[]} weights
 * @param {number} mass
 */
export function strongest(weights, mass) {
  if (mass >= 1) return weights;
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const result = /** @type {number[]} */ (new Array(weights.length).fill(0));
  let covered = 0;
  for (const index of sortedIndices(weights)) {
    if (covered >= mass * total - 1e-9) break;
    result[index] = weights[index];
    covered += weights[index];
  }
  return result;
}

/**
 * Attention of one node over source tokens, or over source words: their pieces' weights add up.
 * @param {State} state
 * @param {Node} node
 */
function sourceRow(state, node) {
  const weights = state.model.weights(state.model.row(node), state.layer, state.head);
  return sourceGroups(state).map((group) => group.reduce((sum, index) => sum + weights[index], 0));
}

/**
 * Attention of a written word: the mean over its pieces, so that the row still sums to 1.
 * @param {State} state
 * @param {number[]} group steps
 */
export function wordRow(state, group) {
  const rows = group.map((step) => sourceRow(state, state.path[step]));
  return rows[0].map((_, column) => rows.reduce((sum, row) => sum + row[column], 0) / rows.length);
}

/**
 * The attention of the current token, or of its word.
 * @param {State} state
 */
export function currentRow(state) {
  const groups = pathGroups(state);
  return wordRow(state, groups[groupAt(groups, state.step)]);
}
