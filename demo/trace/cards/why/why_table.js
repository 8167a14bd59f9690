// @ts-check
// The scores of the methods of attribution, prepared for the table.

import { sortedIndices } from "../../reading/scores.js";

/** @import { Cell } from "../../../widgets/exports/files.js" */

/**
 * @typedef {object} Explanation what each token contributes by one method; see demo/inspect/inspection.py
 * @property {string} title
 * @property {string} paper
 * @property {number[]} source
 * @property {number[] | null} prefix
 * @property {number | null} gap
 * @property {boolean} signed
 */
/** @typedef {{ value: number, sentence: string, methods: Record<string, Explanation>, refused?: string }} Explained */

const MIN_STRONG_SCORE = 0.01; // a smaller score, shown as 0.00, is never strong

/** @param {number[]} scores */
export const strongestOf = (scores) =>
  scores.reduce((best, score, index) => (Math.abs(score) > Math.abs(scores[best]) ? index : best), 0);

/**
 * Scores as shares of the strongest of their method, source and prefix together, from -1 to 1.
 * @param {Explanation} explanation
 */
export function shares({ source, prefix }) {
  const most = Math.max(...[...source, ...(prefix ?? [])].map(Math.abs), MIN_STRONG_SCORE);
  const share = (/** @type {number} */ score) => score / most;
  return { source: source.map(share), prefix: (prefix ?? []).map(share) };
}

/**
 * The part of an effect that scores miss, which should add up to it, as a share of their sum.
 * @param {Explanation} explanation
 */
export const missingShare = ({ source, prefix, gap }) =>
  (gap ?? 0) /
  Math.max(Math.abs([...source, ...(prefix ?? [])].reduce((sum, score) => sum + score, 0)), MIN_STRONG_SCORE);

/**
 * All indices of the source; if there are too many, those with the highest scores of any method, highest first.
 * @type {(methods: Record<string, Explanation>, most: number) => number[]}
 */
export function shownPositions(methods, most) {
  const scaled = Object.values(methods).map((method) => shares(method).source);
  const positions = [...(scaled[0] ?? []).keys()];
  if (positions.length <= most) return positions;
  const strength = positions.map((index) => Math.max(...scaled.map((scores) => Math.abs(scores[index]))));
  return sortedIndices(strength).slice(0, most);
}

/** @param {Record<string, Explanation>} methods */
export const prefixLength = (methods) =>
  Math.max(0, ...Object.values(methods).map(({ prefix }) => prefix?.length ?? 0));

/**
 * The scores as rows of a table.
 * @param {Explained} explained
 * @param {(index: number) => string} sourceLabel
 * @param {(index: number) => string} prefixLabel
 * @returns {Cell[][]}
 */
export function whyTable({ methods }, sourceLabel, prefixLabel) {
  const all = Object.values(methods);
  const source = all[0]?.source ?? [];
  const prefixLine = (_, index) => ["prefix", prefixLabel(index), ...all.map(({ prefix }) => prefix?.[index] ?? "")];
  return [
    ["part", "token", ...Object.keys(methods)],
    ...source.map((_, index) => ["source", sourceLabel(index), ...all.map((method) => method.source[index])]),
    ...Array.from({ length: prefixLength(methods) }, prefixLine),
  ];
}
