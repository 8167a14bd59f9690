// @ts-check
// An entry of the browser's history. Its stored form keeps its names: an earlier version of the page may have written it.

/** @import { ResultRequest } from "../decoding/recent_results.js" */
/** @typedef {{ id: string, request: ResultRequest, view: Record<string, any> }} Entry */
/** @typedef {{ unrolled: { id: string, asked: ResultRequest, look: Record<string, any> } }} State of the history */

/** @type {(entry: Entry) => State} */
export const stateOf = ({ id, request, view }) => ({ unrolled: { id, asked: request, look: view } });

/** @type {(state: State | null | undefined) => Entry | null} */
export function entryOf(state) {
  if (!state?.unrolled) return null;
  const { id, asked, look } = state.unrolled;
  return { id, request: asked, view: look };
}
