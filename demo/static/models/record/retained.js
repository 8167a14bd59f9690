// The candidates of a depth-first search that its trace needs; the search ranks many more.

/** @typedef {import("./recorder.js").ObservedStep} ObservedStep */

const MAX_RECORDED_NODES = 300; // a larger tree cannot be read; the rest is only counted

/**
 * Return the steps with the MAX_RECORDED_NODES most probable nodes, those of the hypotheses, and the ancestors of both.
 *
 * @param {ObservedStep[]} steps
 * @param {{ node: number }[]} hypotheses
 */
export function mostProbable(steps, hypotheses) {
  const nodes = steps.flatMap((step) => step.nodes);
  nodes.sort((one, other) => other.cumulative - one.cumulative || one.id - other.id);
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
