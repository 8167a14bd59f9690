// The final status of candidates, which only the end of a search decides.

/** @typedef {import("./recorder.js").BeamNode} BeamNode */
/** @typedef {import("./recorder.js").Hypothesis} Hypothesis */
/** @typedef {import("./recorder.js").DecodedRow} DecodedRow */
/** @typedef {{ index: number, rows: DecodedRow[], nodes: BeamNode[] }} DecodingStep */

/**
 * Return the steps with final statuses, one step for each length.
 *
 * @param {DecodingStep[]} steps
 * @param {Hypothesis[]} hypotheses
 * @param {Set<number | null>} expanded  the expanded nodes
 * @param {string} stop
 * @param {import("../search/strategy.js").Strategy} strategy
 * @returns {DecodingStep[]}
 */
export function withFinalStatus(steps, hypotheses, expanded, stop, strategy) {
  const winners = new Set(hypotheses.map(({ node }) => node));
  const worst = hypotheses.reduce(
    (least, { log_prob, order }) => Math.min(least, order ?? log_prob),
    Number.POSITIVE_INFINITY,
  );
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
  const finals = steps.map(({ index, rows, nodes }) => ({ index, rows, nodes: nodes.map(final) }));
  return strategy.depthFirst ? mergeSteps(finals) : finals;
}

/** Merge the steps of each length, which a depth-first search visits many times. @param {DecodingStep[]} steps */
function mergeSteps(steps) {
  /** @type {Map<number, { rows: Map<number | null, DecodedRow>, nodes: BeamNode[] }>} */
  const byLength = new Map();
  for (const { index, rows, nodes } of steps) {
    /** @type {{ rows: Map<number | null, DecodedRow>, nodes: BeamNode[] }} */
    const all = byLength.get(index) ?? { rows: new Map(), nodes: [] };
    for (const row of rows) all.rows.set(row.node, row);
    all.nodes.push(...nodes);
    byLength.set(index, all);
  }
  return [...byLength.keys()]
    .sort((one, other) => one - other)
    .map((index) => ({ index, .../** @type {any} */ (byLength.get(index)) }))
    .filter(({ nodes }) => nodes.length)
    .map(({ index, rows, nodes }) => ({
      index,
      rows: [...rows.values()],
      nodes: nodes.sort(
        (/** @type {BeamNode} */ one, /** @type {BeamNode} */ other) =>
          other.cumulative - one.cumulative || one.id - other.id,
      ),
    }));
}
