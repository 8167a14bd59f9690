// @ts-check
// Lists as tables: the hypotheses in their order, and the next tokens of a step.

/** @import { Cell } from "../../widgets/exports/files.js" */
/** @import { Model, Node } from "./trace.js" */

/** @type {(value: number, digits: number) => number | string} */
const roundedOrText = (value, digits) => (Number.isFinite(value) ? +value.toFixed(digits) : String(value));

/** @type {(model: Model, order: number[], scores: number[], bare: boolean) => Cell[][]} bare: without numbers */
export function hypothesesTable(model, order, scores, bare) {
  const line = (/** @type {number} */ index) => {
    const { text, log_prob, token_ids } = model.hypotheses[index];
    const numbers = [roundedOrText(scores[index], 3), roundedOrText(log_prob, 3)];
    return [index + 1, text, ...(bare ? [] : numbers), token_ids.length];
  };
  return [["rank", "output", ...(bare ? [] : ["score", "log-probability"]), "tokens"], ...order.map(line)];
}

/** @type {(model: Model, node: Node, bare: boolean) => Cell[][]} at a node's step; bare: without the model's numbers */
export function nextTokensTable(model, node, bare) {
  const numbers = (/** @type {number} */ log) => (bare ? [] : [roundedOrText(Math.exp(log), 6), roundedOrText(log, 3)]);
  const { top, chances } = model.row(node);
  const adjusted = bare ? null : chances; // the numbers that the strategy chose by
  const lines = top.map(({ token, token_id, log_prob }, index) => [
    index + 1,
    model.label(token),
    ...numbers(log_prob),
    ...(adjusted ? [roundedOrText(adjusted[index], 6)] : []),
    token_id === node.token_id ? "chosen" : "",
  ]);
  const names = [...(bare ? [] : ["probability", "log-probability"]), ...(adjusted ? ["chosen by"] : [])];
  return [["rank", "token", ...names, "on the path"], ...lines];
}
