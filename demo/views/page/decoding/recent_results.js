// @ts-check
// The last results of a visit, the newest first: their requests, and what the server sent.

/**
 * @typedef {object} ResultRequest the values that the controls need to produce the result again
 * @property {string} checkpoint
 * @property {string} text
 * @property {Record<string, any>} settings by the names of a link's parameters
 */
/**
 * @typedef {object} Result
 * @property {string} id
 * @property {ResultRequest} request
 * @property {{ checkpoint: string, strategy: string, output: string }} labels for the list
 * @property {import("../../trace/cards/versions/versions.js").VersionHistory | null} versions null if it was not decoded yet
 * @property {Record<string, any>} view the last view of it, by the names of a link's parameters
 * @property {boolean} [isFromFile] whether it comes from a file
 */

export const MAX_RESULTS = 12;

/** @type {(one: Result, other: Result) => boolean} */
const isRepeated = (one, other) =>
  (one.versions?.versions.length ?? 1) === 1 && JSON.stringify(one.request) === JSON.stringify(other.request);

/**
 * Adds a result, which replaces an earlier result of the same request that has no edits.
 * @type {(results: Result[], result: Result) => Result[]}
 */
export const withResult = (results, result) =>
  [result, ...results.filter((other) => other.id !== result.id && !isRepeated(other, result))].slice(0, MAX_RESULTS);

/**
 * Adds a text that was typed, but replaced in the form before it was decoded.
 * @type {(results: Result[], draft: Result) => Result[]}
 */
export function withDraft(results, draft) {
  const { checkpoint, text } = draft.request;
  const isStored = results.some(({ request }) => request.checkpoint === checkpoint && request.text === text);
  return isStored ? results : [draft, ...results].slice(0, MAX_RESULTS);
}
