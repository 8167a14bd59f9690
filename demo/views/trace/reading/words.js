// @ts-check
// Pieces of one word as one: which steps of a path, and which source tokens, belong together.

/** @import { State } from "./selection.js" */
/** @import { Model, Node } from "./trace.js" */

const CONTINUES = 1; // as in words.py
const OPEN = 2;

/** @param {State} state */
export const merging = (state) => state.merged && state.model.payload.words.useful;

/**
 * Groups of indices: each token alone, or the pieces of a word together.
 * @param {number} length
 * @param {(at: number) => boolean | number} joins
 */
function groupsOf(length, joins) {
  /** @type {number[][]} */
  const groups = [];
  for (let at = 0; at < length; at++) {
    if (at && joins(at)) groups[groups.length - 1].push(at);
    else groups.push([at]);
  }
  return groups;
}

/**
 * The steps of the chosen path.
 * @param {State} state
 */
export function pathGroups(state) {
  return groupsOf(state.path.length, (at) => merging(state) && joins(state.model, state.path, at));
}

/** @type {(model: Model, path: Node[], at: number) => boolean} whether a token is a further piece of a word */
function joins(model, path, at) {
  /** @param {number} place */
  const flag = (place) => model.payload.words.flags[path[place].token] ?? 0;
  return at > 0 && Boolean(flag(at) & CONTINUES && flag(at - 1) & OPEN);
}

/** @type {(model: Model, path: Node[], at: number) => number} the step of the first piece of a token's word */
export function wordStart(model, path, at) {
  let first = at;
  while (first < path.length && joins(model, path, first)) first -= 1;
  return first;
}

/**
 * The tokens of the source.
 * @param {State} state
 */
export function sourceGroups(state) {
  const { starts } = state.model.payload.words;
  return groupsOf(state.model.source.length, (at) => merging(state) && !starts[at]);
}

/**
 * The text of a word: its pieces without the signs between them.
 * @param {string[]} labels
 */
export const wordText = (labels) => labels.map((label, at) => (at ? label.replace(/^##/, "") : label)).join("");

/**
 * The group that holds an index.
 * @param {number[][]} groups
 * @param {number} index
 */
export const groupAt = (groups, index) => groups.findIndex((group) => group.includes(index));
