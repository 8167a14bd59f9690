// @ts-check
// The model and the helpers of a listing, answered from a trace: what its search has ranked, by prefix. Numbers of a
// trace are rounded, so the recorded rank decides between equal ones.

import { TraceEnd } from "./evaluate.js";

/** @import { Model, Node } from "../../reading/trace.js" */
/** @import { Names, Scope, Syntax } from "./evaluate.js" */
/** @typedef {any[]} Row of a beam: numbers, and its prefix last */
/** @typedef {ReturnType<typeof createRecorded>} Recorded */

const STEP = 1e-9; // nats between two ranks whose rounded numbers are equal
const ENDS = ["end_token", "end_outside_beam"]; // reasons of nodes that hold an end token
const END = "</s>"; // its usual spelling

/** A token of a trace. Each is made once, so equal ones are the same object. */
export class Token {
  /** @param {number} id @param {string} label */
  constructor(id, label) {
    this.id = id;
    this.label = label;
  }

  toJSON() {
    return this.id;
  }
}

/** @param {Token[]} prefix */
const key = (prefix) => prefix.map(({ id }) => id).join(" ");

/** @type {(map: Map<string, Node[]>, name: string, node: Node) => void} */
function add(map, name, node) {
  const nodes = map.get(name);
  if (nodes) nodes.push(node);
  else map.set(name, [node]);
}

/** @param {Model} model the end token's id, -1 if the trace has none */
function endToken({ hypotheses, nodes, steps, payload }) {
  const ended = hypotheses.find((hypothesis) => hypothesis.ended);
  if (ended) return /** @type {number} */ (ended.token_ids.at(-1));
  // A finished output that others displaced has an end token unless it is as long as an output may be.
  const isEnd = (/** @type {Node} */ { reason, step }) =>
    ENDS.includes(reason) || (reason === "displaced" && step + 1 < payload.trace.settings.max_length);
  const node = [...nodes.values()].find(isEnd);
  const next = steps.flatMap(({ rows }) => rows.flatMap(({ top }) => top)).find(({ token }) => token === END);
  return node?.token_id ?? next?.token_id ?? -1;
}

/** @param {Model} model what each node was ranked by, without ties @returns {Map<Node, number>} */
function rankScores({ steps, payload }) {
  const isDrawn = Boolean(payload.trace.settings.num_samples); // then rows do not compete
  const ranked = new Map();
  for (const { nodes } of steps) {
    let [last, group] = [Infinity, -1];
    for (const node of nodes) {
      if (node.group !== group) [last, group] = [Infinity, node.group];
      const score = node.order ?? node.cumulative;
      last = score < last || isDrawn ? score : last - STEP;
      ranked.set(node, last);
    }
  }
  return ranked;
}

/**
 * The names that a listing may use, the node of a prefix, and the tokens of ids.
 * @param {Model} model
 */
export function createRecorded(model) {
  const { settings, utilities, exploration } = model.payload.trace;
  const ranked = rankScores(model);
  /** @type {Map<number, Token>} */
  const tokens = new Map();
  /** @type {(id: number, surface?: string) => Token} */
  function tokenOf(id, surface = "") {
    const token = tokens.get(id) ?? new Token(id, surface && model.label(surface));
    tokens.set(id, token);
    return token;
  }
  /** @type {Map<string, Node[]>} */
  const children = new Map(); // candidates by the prefix that they extend
  /** @type {Map<string, Node[]>} */
  const ends = new Map(); // candidates by their own prefix
  for (const node of model.nodes.values()) {
    const prefix = model.path(node.id).map(({ token_id, token }) => tokenOf(token_id, token));
    add(ends, key(prefix), node);
    add(children, key(prefix.slice(0, -1)), node);
  }
  /** @param {Token[]} prefix */
  const nodesOf = (prefix) => ends.get(key(prefix)) ?? [];
  /** @param {Token[]} prefix */
  const totalOf = (prefix) => nodesOf(prefix)[0]?.cumulative ?? 0;
  /** @param {number[]} ids */
  const tokensOf = (ids) => ids.map((id) => tokenOf(id));
  /** @param {Node} node */
  const lastToken = (node) => tokenOf(node.token_id);
  const source = {
    end: tokenOf(endToken(model)),
    asked: /** @type {Token[]} */ ([]), // the prefix that was asked for last
    drawn: /** @type {Node | null} */ (null), // the last one; several samples may have its prefix
    /** @param {Token[]} prefix @returns {[Token, number][]} */
    next: (prefix) => childrenOf(prefix).map((node) => [lastToken(node), node.cumulative - totalOf(prefix)]),
  };

  /** @param {Token[]} prefix */
  function ask(prefix) {
    if (prefix.length >= model.steps.length) throw new TraceEnd();
    source.asked = prefix;
  }

  /** @param {Token[]} prefix */
  function childrenOf(prefix) {
    ask(prefix);
    return children.get(key(prefix)) ?? [];
  }

  /** @type {(beam: Row[], group?: number) => Row[]} */
  const extensions = (beam, group) =>
    beam.flatMap((row) =>
      childrenOf(row.at(-1))
        .filter((node) => group === undefined || node.group === group)
        .map((node) => [ranked.get(node), node.cumulative, [...row.at(-1), lastToken(node)]]),
    );
  /** @type {(of: unknown, beam: Row[]) => Row[]} */
  const extend = (_, beam) => extensions(beam).map(([rankScore, , prefix]) => [rankScore, prefix]);

  let groupCalls = 0; // each step asks once for each group
  let [drawnLength, draws] = [-1, 0]; // the length of the prefixes that draw, and how many have drawn
  const { normalizer, length_penalty: alpha = 0, early_stopping: stopping } = settings;
  /** @type {(total: number, length: number) => number} */
  const score = (total, length) =>
    normalizer === "none" ? total : total / (normalizer === "gnmt" ? (5 + length) / 6 : length) ** alpha;
  const places = new Map(model.hypotheses.map(({ token_ids: ids }, index) => [key(tokensOf(ids)), index]));
  /** @param {Token[]} prefix */
  const rowOf = (prefix) => {
    const last = nodesOf(prefix)[0];
    return model.steps[prefix.length]?.rows.find(({ node }) => node === (last ? last.id : null));
  };

  /** @type {Names} */
  const names = {
    model: source,
    best: (count, items) => [...items].sort((a, b) => b[0] - a[0]).slice(0, count),
    extend,
    perturb: extend,
    penalise: (_, beam) => extensions(beam, groupCalls++ % settings.num_groups),
    log: Math.log,
    score,
    attainable: (total, length) =>
      stopping === true ? -Infinity : score(total, stopping === "never" && alpha > 0 ? settings.max_length : length),
    chances(_, prefix) {
      ask(prefix);
      const row = rowOf(prefix);
      const choices = (row?.top ?? []).map(({ token_id: id, token, log_prob }, index) => [
        row?.chances?.[index] ?? Math.exp(row?.allowed?.[index] ?? log_prob),
        tokenOf(id, token),
      ]);
      return names.best(choices.length, choices);
    },
    draw() {
      const length = source.asked.length;
      if (length !== drawnLength) [drawnLength, draws] = [length, 0];
      const node = model.steps[length].nodes[draws++];
      source.drawn = node;
      return [lastToken(node), node.cumulative - totalOf(source.asked)];
    },
    sample: () =>
      [...model.hypotheses]
        .sort((a, b) => b.log_prob - a.log_prob)
        .map((item) => [item.log_prob, tokensOf(item.token_ids)]),
    utility: (output, reference) =>
      utilities?.matrix[places.get(key(output)) ?? -1]?.[places.get(key(reference)) ?? -1],
    bound: model.hypotheses[0]?.order ?? model.hypotheses[0]?.log_prob ?? -Infinity,
    output: tokensOf(model.hypotheses[0]?.token_ids ?? []),
    // For sentences: whether the search has proved its result, whether the trace has all that it ranked, and whether
    // `attainable` is a limit, not an estimate.
    complete: exploration?.stop === "complete",
    whole: exploration?.recorded === exploration?.seen,
    limited: stopping === "never" || alpha <= 0 || normalizer === "none",
  };
  return { names, nodesOf, rowOf, tokensOf };
}

/** The arguments of a listing that are settings. @type {(program: Syntax, settings: Scope, names: Names) => Scope} */
export function settingsOf(program, settings, names) {
  /** @type {string[]} */
  const called = program.args.args.map(({ arg }) => arg);
  const values = called.filter((name) => typeof names[name] !== "function" && name !== "model");
  return Object.fromEntries(values.map((name) => [name, settings[name] ?? names[name]]));
}
