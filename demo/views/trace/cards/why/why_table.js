// @ts-check
// What the methods of attribution say, as numbers to show. Knows no element.

/** @import { Cell } from "../../../shared/exports/csv.js" */

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

const LEAST = 0.01; // what reads 0.00 is not strong, though nothing of its method be stronger

/** @param {number[]} scores */
export const strongestOf = (scores) =>
  scores.reduce((best, score, at) => (Math.abs(score) > Math.abs(scores[best]) ? at : best), 0);

/**
 * Scores as shares of the strongest of their method, source and prefix together, from -1 to 1.
 * @param {Explanation} explanation
 */
export function shares({ source, prefix }) {
  const most = Math.max(...[...source, ...(prefix ?? [])].map(Math.abs), LEAST);
  const share = (/** @type {number} */ score) => score / most;
  return { source: source.map(share), prefix: (prefix ?? []).map(share) };
}

/**
 * All places of the source, or of very many those that some method finds strong, the most needed first.
 * @type {(methods: Record<string, Explanation>, most: number) => number[]}
 */
export function shownPlaces(methods, most) {
  const scaled = Object.values(methods).map((each) => shares(each).source);
  if (!scaled.length) return [];
  const places = scaled[0].map((_, place) => place);
  if (places.length <= most) return places;
  const strength = places.map((place) => Math.max(...scaled.map((each) => Math.abs(each[place]))));
  return places.sort((one, other) => strength[other] - strength[one]).slice(0, most);
}

/**
 * As lines of a table.
 * @param {Explained} explained
 * @param {(place: number) => string} sourceLabel
 * @param {(place: number) => string} prefixLabel
 * @returns {Cell[][]}
 */
export function whyTable({ methods }, sourceLabel, prefixLabel) {
  const each = Object.entries(methods);
  const source = each.length ? each[0][1].source : [];
  const length = Math.max(0, ...each.map(([, { prefix }]) => prefix?.length ?? 0));
  return [
    ["part", "token", ...each.map(([name]) => name)],
    ...source.map((_, place) => ["source", sourceLabel(place), ...each.map(([, found]) => found.source[place])]),
    ...Array.from({ length }, (_, place) => [
      "prefix",
      prefixLabel(place),
      ...each.map(([, found]) => found.prefix?.[place] ?? ""),
    ]),
  ];
}
