// @ts-check
// The margin by which a candidate missed its beam.
import { numberText } from "../../widgets/view/numbers.js";
import { t } from "../../widgets/view/translate.js";

/** @import { Model, Node } from "./trace.js" */

/** @param {Node} node */
const orderOf = (node) => node.order ?? node.cumulative;

/**
 * The size of the beam that a candidate missed, and its distance to the last kept one in nats; null for any other.
 * @param {Model} model
 * @param {Node} node
 */
export function missedMargin(model, node) {
  if (node.reason !== "ranked_below") return null;
  const beam = model.steps[node.step].nodes.filter(({ status, group }) => status === "kept" && group === node.group);
  const margin = Math.min(...beam.map(orderOf)) - orderOf(node);
  return Number.isFinite(margin) && margin >= 0 ? { place: beam.length, margin } : null;
}

/**
 * The reason of a candidate's status, with the margin if it missed the beam.
 * @param {Model} model
 * @param {Node} node
 */
export function reasonText(model, node) {
  const reason = model.payload.reasons[node.reason];
  const margin = missedMargin(model, node);
  if (!margin) return reason;
  const values = { place: margin.place, margin: numberText(margin.margin) };
  return `${reason} ${t("It is {margin} nats short of rank {place}, the last one kept.", values)}`;
}
