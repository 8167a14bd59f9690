// @ts-check
// By how much a candidate missed the last place of its beam. Knows no element.
import { numberText } from "../../shared/numbers.js";
import { t } from "../../shared/translate.js";

/** @import { Model, Node } from "./trace.js" */

/** @param {Node} node */
const orderOf = (node) => node.order ?? node.cumulative;

/**
 * The last place of the beam that a candidate missed and its distance in nats; null for any other.
 * @param {Model} model
 * @param {Node} node
 */
export function missed(model, node) {
  if (node.reason !== "ranked_below") return null;
  const kept = model.steps[node.step].nodes.filter(({ status, group }) => status === "kept" && group === node.group);
  const margin = Math.min(...kept.map(orderOf)) - orderOf(node);
  return Number.isFinite(margin) && margin >= 0 ? { place: kept.length, margin } : null;
}

/**
 * Why a candidate has its status, with the distance where it missed a place.
 * @param {Model} model
 * @param {Node} node
 */
export function reasonText(model, node) {
  const reason = model.payload.reasons[node.reason];
  const found = missed(model, node);
  if (!found) return reason;
  return `${reason} ${t("It missed place {place} by {margin} nats.", { place: found.place, margin: numberText(found.margin) })}`;
}
