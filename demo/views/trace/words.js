// @ts-check
// Pieces of one word as one: which steps of a path, and which source tokens, belong together.

/** @import { State } from "./selection.js" */

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
  const { flags } = state.model.payload.words;
  /** @param {number} at */
  const flag = (at) => flags[state.path[at].token] ?? 0;
  return groupsOf(state.path.length, (at) => merging(state) && flag(at) & CONTINUES && flag(at - 1) & OPEN);
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
