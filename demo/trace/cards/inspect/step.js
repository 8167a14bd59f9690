// @ts-check
// The current step, in the form in which cards ask the server about it.

/** @import { View } from "../../trace_card.js" */

/** The current step, as the server is asked about it. @param {View["selection"]} selection */
export function stepOf({ state, current, rival }) {
  const { checkpoint, source_text: text } = state.model.payload.trace;
  const prefix = state.path.slice(0, state.step).map((node) => node.token_id);
  return { checkpoint, text, prefix, token: current().token_id, rival: rival() };
}
