// @ts-check
// The last results of a visit, the newest first: their requests, and what the server sent. The next page in the same
// tab of the browser, perhaps in another language, finds the requests.
import { recall, remember } from "../../widgets/view/memory.js";

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
 * @property {{ checkpoint: string, strategy: string, constraints?: string[], edits?: string[], output: string,
 *   language?: string }} labels for the list, in the language of the page that stored it
 * @property {import("../../trace/cards/versions/versions.js").VersionHistory | null} versions null if it was not decoded yet,
 *   or by an earlier page
 * @property {Record<string, any>} view the last view of it, by the names of a link's parameters
 * @property {boolean} [isFromFile] whether it comes from a file
 */

export const MAX_RESULTS = 12;
const KEY = "unrolled-results";
const MAX_STORED_CHARACTERS = 4000; // a larger source is not stored

/** @param {Result} result */
const decodingOf = ({ request, view }) => JSON.stringify([request, view.stored ?? view.forced ?? []]);

/** @type {(one: Result, other: Result) => boolean} */
const isRepeated = (one, other) => (one.versions?.versions.length ?? 1) === 1 && decodingOf(one) === decodingOf(other);

/**
 * Leaves out what a result replaces: an earlier result of the same request and forced tokens that has no edits here.
 * @type {(results: Result[], result: Result) => Result[]}
 */
export const withoutRepeats = (results, result) =>
  results.filter((other) => other.id === result.id || !isRepeated(other, result));

/** @type {(results: Result[], result: Result) => Result[]} */
export const withResult = (results, result) =>
  [result, ...withoutRepeats(results, result).filter(({ id }) => id !== result.id)].slice(0, MAX_RESULTS);

/** @param {Result} result that can be decoded again from its request and its edits */
const isRepeatable = ({ request, isFromFile }) => !isFromFile && request.text.length <= MAX_STORED_CHARACTERS;

/** @param {Result[]} results to be taken by the next page */
export function storeResults(results) {
  const requests = results.filter(isRepeatable).map((result) => ({ ...result, versions: null }));
  remember(KEY, requests, "sessionStorage");
}

/** @returns {Result[]} those of the earlier page */
export const storedResults = () => recall(KEY, "sessionStorage") ?? [];

/**
 * Adds a text that was typed, but replaced in the form before it was decoded.
 * @type {(results: Result[], draft: Result) => Result[]}
 */
export function withDraft(results, draft) {
  const { checkpoint, text } = draft.request;
  const isStored = results.some(({ request }) => request.checkpoint === checkpoint && request.text === text);
  return isStored ? results : [draft, ...results].slice(0, MAX_RESULTS);
}

/** @type {(one: any, other: any) => boolean} */
export const isSame = (one, other) => String(one ?? "").trim() === String(other ?? "").trim();

/**
 * Only the settings in the result's request count; others do not apply to its strategy.
 * @type {(form: Record<string, any>, request: ResultRequest) => boolean}
 */
export const matchesRequest = (form, { checkpoint, text, settings }) =>
  Object.entries({ checkpoint, text, ...settings }).every(([name, value]) => isSame(form[name], value));
