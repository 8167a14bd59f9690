// @ts-check
// Reads the output of payload.py: records from tables, attention from bytes.
import { pictureSource } from "../../widgets/pictures/pictures.js";
import { numberText } from "../../widgets/view/numbers.js";
import { t } from "../../widgets/view/translate.js";

/** @import { BeamNode, Hypothesis, NextToken, Token, TracePayload } from "../payload.js" */
/** @typedef {BeamNode} Node */
/** @typedef {{ index: number, node: number | null, top: NextToken[], entropy: number, allowed: number[] | null,
 *   chances: number[] | null }} Row of the model's answer to a prefix */
/** @typedef {{ index: number, rows: Row[], nodes: Node[] }} Step */
/** @typedef {{ shape: number[], weights: Uint16Array }} Attention (rows, layers, heads, source); `shape` without the first */
/** @typedef {{ source: string, cells: number }} Picture a data URL, and how many cells are on a side */
/** @typedef {ReturnType<typeof readTrace>} Model */
/** @typedef {TracePayload["trace"]} Packed */

const FULL_SCALE = 65535; // a weight of 1, as in payload.py

/** @param {TracePayload} payload */
export function readTrace(payload) {
  const raw = payload.trace;
  const source = /** @type {Token[]} */ (records(raw.source));
  const hypotheses = /** @type {Hypothesis[]} */ (records(raw.hypotheses).map(finite));
  const allNodes = /** @type {Node[]} */ (records(raw.nodes).map(finite));
  const nodes = new Map(allNodes.map((node) => [node.id, node]));
  const steps = splitSteps(raw, allNodes);
  const rows = new Map(steps.flatMap((step) => step.rows.map((row) => [`${step.index} ${row.node}`, row])));
  const attention = raw.attention && { shape: raw.attention.shape, weights: decodeWeights(raw.attention.data) };
  const paths = hypotheses.map((hypothesis) => pathTo(nodes, hypothesis.node));
  const picture = pictureSource(raw.source_text);
  return {
    payload,
    source,
    hypotheses,
    nodes,
    steps,
    paths,
    attention,
    /** Whether scores are other numbers than log-probabilities; equal ones are shown once. */
    normalised: allNodes.some(({ score, cumulative }) => score !== cumulative),
    picture: picture && payload.picture ? { source: picture, cells: payload.picture.cells } : null,
    /** @param {number} id */
    path: (id) => pathTo(nodes, id),
    /** @param {Node} node */
    row: (node) => /** @type {Row} */ (rows.get(`${node.step} ${node.parent}`)),
    /** @param {number} id @returns {number} the best hypothesis that runs through a node, -1 if none does */
    owner: (id) => paths.findIndex((path) => path.some((node) => node.id === id)),
    /** @param {string} surface */
    label: (surface) => payload.labels[surface][0],
    /** @param {string} surface @returns {string} escaped, for Plotly */
    figureLabel: (surface) => payload.labels[surface].at(-1) ?? "",
    /** @type {(row: Row, layer: number | null, head: number | null) => number[]} */
    weights: (row, layer, head) => averageWeights(/** @type {Attention} */ (attention), row.index, layer, head),
    toJSON: () => traceRecord(raw, source, hypotheses, steps, attention),
  };
}

/** @type {(model: Model, hypothesis: Hypothesis) => boolean} false if the end token was forced at the length limit */
export const endedByItself = (model, { ended, node }) => ended && model.nodes.get(node)?.reason !== "closing";

/** The step of an edit, from 0. @param {Packed} trace */
export function editedStep({ forced, overrides }) {
  const attended = overrides.find(({ step }) => step >= forced.length);
  return attended ? attended.step : Math.max(0, forced.length - 1);
}

/** @param {Record<string, any[]>} table one list for each field @returns {Record<string, any>[]} */
function records(table) {
  const names = Object.keys(table);
  return table[names[0]].map((_, index) => Object.fromEntries(names.map((name) => [name, table[name][index]])));
}

/**
 * JSON has no infinity: the trace writes null for a probability of zero.
 * @template {Record<string, any>} Kind
 * @param {Kind} record
 * @returns {Kind}
 */
function finite(record) {
  for (const name of ["log_prob", "cumulative", "score"])
    if (record[name] === null) Object.assign(record, { [name]: -Infinity });
  return record;
}

/** @type {(raw: Packed, allNodes: Node[]) => Step[]} */
function splitSteps(raw, allNodes) {
  let row = 0;
  let node = 0;
  return raw.steps.map(([rowCount, nodeCount], index) => {
    const rows = Array.from({ length: rowCount }, () => readRow(raw.rows, row++));
    const nodes = allNodes.slice(node, node + nodeCount);
    node += nodeCount;
    return { index, rows, nodes };
  });
}

/** @type {(rows: Packed["rows"], index: number) => Row} */
function readRow(rows, index) {
  const top = rows.top[index].map(([token_id, token, log_prob]) => ({
    token_id,
    token,
    log_prob: log_prob ?? -Infinity,
  }));
  const allowed = rows.allowed[index]?.map((logProb) => logProb ?? -Infinity) ?? null;
  const entropy = rows.entropy[index] ?? Infinity;
  return { index, node: rows.node[index], top, entropy, allowed, chances: rows.chances[index] };
}

/** @param {string} data base64 */
function decodeWeights(data) {
  const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
  return new Uint16Array(bytes.buffer);
}

/**
 * (S) weights of one row; null for a layer or a head is the mean over them.
 * @type {(attention: Attention, row: number, layer: number | null, head: number | null) => number[]}
 */
function averageWeights(attention, row, layer, head) {
  const [layers, heads, length] = attention.shape;
  const sums = new Float64Array(length);
  let count = 0;
  for (let l = 0; l < layers; l++) {
    if (layer !== null && l !== layer) continue;
    for (let h = 0; h < heads; h++) {
      if (head !== null && h !== head) continue;
      const start = ((row * layers + l) * heads + h) * length;
      for (let s = 0; s < length; s++) sums[s] += attention.weights[start + s];
      count += 1;
    }
  }
  return Array.from(sums, (sum) => sum / count / FULL_SCALE);
}

/** @type {(nodes: Map<number, Node>, id: number) => Node[]} */
function pathTo(nodes, id) {
  const path = [];
  for (let node = nodes.get(id); node; node = node.parent === null ? undefined : nodes.get(node.parent))
    path.push(node);
  return path.reverse();
}

/**
 * The trace as `DecodingTrace.from_json` reads it, with the payload's rounding.
 * @type {(raw: Packed, source: Token[], hypotheses: Hypothesis[], steps: Step[], attention: Attention | null) => Record<string, any>}
 */
function traceRecord(raw, source, hypotheses, steps, attention) {
  const { nodes, rows, attention: block, ...rest } = raw;
  const layerWeights = (row) => {
    if (!attention) return null;
    const [layers, heads] = attention.shape;
    const headWeights = (l, h) => averageWeights(attention, row.index, l, h).map((weight) => +weight.toFixed(6));
    return Array.from({ length: layers }, (_, l) => Array.from({ length: heads }, (_, h) => headWeights(l, h)));
  };
  const plainRow = ({ index, ...row }) => ({ ...row, attention: layerWeights({ index }) });
  const plainStep = (step) => ({ index: step.index, rows: step.rows.map(plainRow), nodes: step.nodes });
  return { ...rest, source, hypotheses, steps: steps.map(plainStep) };
}

/** @param {Node} node @returns {number} what the search ranked it by */
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

/** @type {(model: Model, node: Node) => string} the reason of a status, with the margin if the node missed the beam */
export function reasonText(model, node) {
  const reason = model.payload.reasons[node.reason];
  const margin = missedMargin(model, node);
  if (!margin) return reason;
  const values = { place: margin.place, margin: numberText(margin.margin) };
  return `${reason} ${t("It is {margin} nats short of rank {place}, the last one kept.", values)}`;
}
