// @ts-check
// The last results of a visit, the newest first: what each was asked, and what the browser was sent. Knows no element.

/**
 * @typedef {object} Asked what has to stand in the controls to get the result again
 * @property {string} checkpoint
 * @property {string} text
 * @property {Record<string, any>} settings by the names of a link's parameters
 */
/**
 * @typedef {object} Result
 * @property {string} id
 * @property {Asked} asked
 * @property {{ checkpoint: string, strategy: string, output: string }} told in words
 * @property {import("../../trace/cards/versions/versions.js").Kept | null} versions null: it was not decoded yet
 * @property {Record<string, any>} look how it was last looked at, by the names of a link's parameters
 * @property {boolean} [isFromFile] whether another page, or a program, has made it
 */

export const MOST_RESULTS = 12;

/** @type {(one: Result, other: Result) => boolean} */
const isRepeated = (one, other) =>
  (one.versions?.texts.length ?? 1) === 1 && JSON.stringify(one.asked) === JSON.stringify(other.asked);

/**
 * With one more result; it takes the place of an earlier one of the same question that nobody has edited.
 * @type {(results: Result[], result: Result) => Result[]}
 */
export const withResult = (results, result) =>
  [result, ...results.filter((other) => other.id !== result.id && !isRepeated(other, result))].slice(0, MOST_RESULTS);

/**
 * With a text that was typed, and not decoded before another took its place in the form.
 * @type {(results: Result[], draft: Result) => Result[]}
 */
export function withDraft(results, draft) {
  const { checkpoint, text } = draft.asked;
  const isKept = results.some(({ asked }) => asked.checkpoint === checkpoint && asked.text === text);
  return isKept ? results : [draft, ...results].slice(0, MOST_RESULTS);
}
