// @ts-check
// Groups the pieces of words, steps of a path or source tokens, and reads the attention by tokens or by words.
import { sortedIndices } from "../../widgets/view/numbers.js";

/** @import { Model, Node, State } from "../trace_card.js" */

const CONTINUES = 1; // the values in payload.py
const OPEN = 2;

/** @param {State} state */
export const merging = (state) => state.merged && state.model.payload.words.useful;

/** @type {(length: number, joins: (index: number) => boolean | number) => number[][]} indices; a word's are together */
function groupsOf(length, joins) {
  /** @type {number[][]} */
  const groups = [];
  for (let index = 0; index < length; index++)
    if (index && joins(index)) groups[groups.length - 1].push(index);
    else groups.push([index]);
  return groups;
}

/** The steps of the chosen path, grouped. @param {State} state */
export function pathGroups(state) {
  return groupsOf(state.path.length, (step) => merging(state) && joins(state.model, state.path, step));
}

/** @type {(model: Model, path: Node[], step: number) => boolean} whether a token continues a word */
function joins(model, path, step) {
  /** @param {number} index */
  const flag = (index) => model.payload.words.flags[path[index].token] ?? 0;
  return step > 0 && Boolean(flag(step) & CONTINUES && flag(step - 1) & OPEN);
}

/** @type {(model: Model, path: Node[], step: number) => number} the step of the first piece of a token's word */
export function wordStart(model, path, step) {
  let first = step;
  while (first < path.length && joins(model, path, first)) first -= 1;
  return first;
}

/** The tokens of the source, grouped. @param {State} state */
export function sourceGroups(state) {
  const { starts } = state.model.payload.words;
  return groupsOf(state.model.source.length, (index) => merging(state) && !starts[index]);
}

/** The text of a word: its pieces without the continuation signs. @param {string[]} labels */
export const wordText = (labels) => labels.map((label, index) => (index ? label.replace(/^##/, "") : label)).join("");

/** @type {(state: State, group: number[]) => string} the text of steps of the chosen path */
export const pathWord = ({ model, path }, group) => wordText(group.map((step) => model.label(path[step].token)));

/** @type {(state: State, group: number[]) => string} the text of source tokens */
export const sourceWord = ({ model }, group) =>
  wordText(group.map((index) => model.label(model.source[index].surface)));

/** The index of the group that contains an index. @param {number} index */
export const groupAt = (groups, index) => groups.findIndex((group) => group.includes(index));

/** @type {(weights: number[], mass: number) => number[]} zero but the fewest largest that reach a share of the sum */
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

/** @type {(state: State, node: Node) => number[]} attention to source tokens or words: weights of pieces add up */
function sourceRow(state, node) {
  const weights = state.model.weights(state.model.row(node), state.layer, state.head);
  return sourceGroups(state).map((group) => group.reduce((sum, index) => sum + weights[index], 0));
}

/** @type {(state: State, group: number[]) => number[]} the mean over a word's pieces, so that it still sums to 1 */
export function wordRow(state, group) {
  const rows = group.map((step) => sourceRow(state, state.path[step]));
  return rows[0].map((_, column) => rows.reduce((sum, row) => sum + row[column], 0) / rows.length);
}

/** The attention of the current token, or of its word. @param {State} state */
export function currentRow(state) {
  const groups = pathGroups(state);
  return wordRow(state, groups[groupAt(groups, state.step)]);
}
