// The steps of a search that has ended: the candidates that its trace needs, with their final status.

/** @import { Strategy } from "../search/strategy.js" */
/** @import { BeamNode, Hypothesis, ObservedStep } from "./recorder.js" */

const MAX_RECORDED_NODES = 300; // a larger tree cannot be read; the rest is only counted

/** @type {(one: BeamNode, other: BeamNode) => number} */
const byProbability = (one, other) => other.cumulative - one.cumulative || one.id - other.id;

/**
 * Return the steps of a depth-first search, which ranks far too many candidates, with the MAX_RECORDED_NODES most
 * probable nodes, those of the hypotheses, and the ancestors of both.
 * @param {ObservedStep[]} steps
 * @param {{ node: number }[]} hypotheses
 */
function mostProbable(steps, hypotheses) {
  const nodes = steps.flatMap((step) => step.nodes).sort(byProbability);
  /** @type {Set<number | null>} */
  const needed = new Set([
    ...hypotheses.map(({ node }) => node),
    ...nodes.slice(0, MAX_RECORDED_NODES).map(({ id }) => id),
  ]);
  const subsets = [];
  // From last to first, so that all descendants of a node come before it.
  for (const step of [...steps].reverse()) {
    const nodes = step.nodes.filter(({ id }) => needed.has(id));
    for (const { parent } of nodes) needed.add(parent);
    const rows = step.rows.filter(({ node }) => node === null || needed.has(node));
    if (rows.length || nodes.length) subsets.push({ ...step, nodes, rows });
  }
  return subsets.reverse();
}

/**
 * Return the steps with final statuses, one step for each length; `expanded` are nodes.
 * @type {(steps: ObservedStep[], hypotheses: Hypothesis[], expanded: Set<number | null>, stop: string,
 *   strategy: Strategy) => ObservedStep[]}
 */
export function finalSteps(steps, hypotheses, expanded, stop, strategy) {
  const retained = strategy.depthFirst ? mostProbable(steps, hypotheses) : steps;
  const winners = new Set(hypotheses.map(({ node }) => node));
  const worst = Math.min(...hypotheses.map(({ log_prob, order }) => order ?? log_prob));
  const reasonToAbandon = (/** @type {BeamNode} */ node) => {
    if (!strategy.depthFirst) return "early_stop";
    const beaten = strategy.bounded && hypotheses.length > 0 && (node.order ?? node.cumulative) <= worst;
    return beaten || stop === "complete" ? "bound" : "budget";
  };
  const final = (/** @type {BeamNode} */ node) => {
    if (node.status === "finished" && !winners.has(node.id)) return { ...node, reason: "displaced" };
    if (node.status === "kept" && !expanded.has(node.id))
      return { ...node, status: "pruned", reason: reasonToAbandon(node) };
    return node;
  };
  const finals = retained.map(({ index, rows, nodes }) => ({ index, rows, nodes: nodes.map(final) }));
  return strategy.depthFirst ? mergeSteps(finals) : finals;
}

/** Merge the steps of each length, which a depth-first search visits many times. @param {ObservedStep[]} steps */
function mergeSteps(steps) {
  /** @type {Map<number, ObservedStep>} */
  const byLength = new Map();
  for (const { index, rows, nodes } of steps) {
    const merged = byLength.get(index) ?? { index, rows: [], nodes: [] };
    merged.rows.push(...rows);
    merged.nodes.push(...nodes);
    byLength.set(index, merged);
  }
  return [...byLength.values()]
    .filter(({ nodes }) => nodes.length)
    .sort((one, other) => one.index - other.index)
    .map(({ index, rows, nodes }) => ({
      index,
      rows: [...new Map(rows.map((row) => [row.node, row])).values()],
      nodes: nodes.sort(byProbability),
    }));
}
