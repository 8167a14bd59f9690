// @ts-check
// The reader's selection: a path through the search, a step on it, a layer and a head.
import { clamp } from "../../widgets/view/numbers.js";

/** @import { Model, Node } from "./trace.js" */

/** @typedef {{ model: Model | null, step?: number, forced?: number[] }} Shown a trace; the edited step */
/** @typedef {"path" | "step" | "attention" | "words" | "pruned" | "rival"} Change of the selection */

/**
 * @typedef {object} State
 * @property {Model} model the current trace; undefined before the first one
 * @property {Node[]} path from the first step to the last
 * @property {number} hypothesis the index of the path; -1 if the path is not a hypothesis
 * @property {number} step on the path, from 0
 * @property {number | null} layer null for the mean over all
 * @property {number | null} head null for the mean over all
 * @property {boolean} pruned whether pruned candidates are drawn
 * @property {number[]} forced steps whose tokens the reader chose
 * @property {boolean} merged whether the pieces of a word are shown as one
 * @property {number | null} rival id of a token that was not chosen, with which the chosen one is contrasted
 * @property {number} mass share of each attention row that the visible weights must reach
 */

/** @typedef {ReturnType<typeof createSelection>} Selection */

const NOWHERE = { path: [], hypothesis: -1, step: 0, layer: null, head: null, rival: null };

/** @param {(change: Change) => void} onChange */
export function createSelection(onChange) {
  const model = /** @type {any} */ (null);
  /** @type {State} */
  const state = { ...NOWHERE, model, forced: [], pruned: true, merged: false, mass: 1 };
  const current = () => state.path[state.step];
  /** @param {number} step */
  const onPath = (step, path = state.path) => clamp(step, 0, Math.max(0, path.length - 1));

  /** @type {(kind: Change, values: Partial<State>) => void} */
  function change(kind, values) {
    Object.assign(state, values);
    onChange(kind);
  }

  /** @type {(path: Node[], step: number, hypothesis: number) => void} */
  const follow = (path, step, hypothesis) => change("path", { path, hypothesis, step: onPath(step, path) });

  /** @param {Shown} shown */
  function load({ model, step = 0, forced = [] }) {
    Object.assign(state, { ...NOWHERE, model, forced });
    if (!model) return;
    if (model.paths.length) Object.assign(state, { path: model.paths[0], hypothesis: 0 });
    else if (model.steps.length) state.path = model.path(model.steps[model.steps.length - 1].nodes[0].id);
    state.step = onPath(step);
  }

  /** @param {number} index */
  function chooseHypothesis(index) {
    const { paths } = state.model;
    const hypothesis = clamp(index, 0, paths.length - 1);
    if (paths.length) follow(paths[hypothesis], state.step, hypothesis);
  }

  /**
   * Chooses the whole path of a node, to the end of the best hypothesis through it if there is one.
   * @param {number} id
   */
  function chooseNode(id) {
    const node = state.model.nodes.get(id);
    if (!node) return;
    if (state.path[node.step] === node) return goTo(node.step);
    const owner = state.model.owner(id);
    follow(owner < 0 ? state.model.path(id) : state.model.paths[owner], node.step, owner);
  }

  /** @param {number} step */
  function goTo(step) {
    if (onPath(step) !== state.step) change("step", { step: onPath(step) });
  }

  /** The most probable other tokens of the step, each of which may be the rival. */
  function rivals() {
    const node = current();
    return node ? state.model.row(node).top.filter(({ token_id }) => token_id !== node.token_id) : [];
  }

  /** The chosen rival if it is among those of the step. */
  const rival = () => (rivals().some(({ token_id }) => token_id === state.rival) ? state.rival : null);

  return {
    state,
    current,
    load,
    chooseHypothesis,
    chooseNode,
    goTo,
    rivals,
    rival,
    /** Chooses the path that ends at a node, which may be on no hypothesis. @param {number} id */
    chooseEnd(id) {
      const path = state.model.path(id);
      const hypothesis = state.model.hypotheses.findIndex(({ node }) => node === id);
      follow(path, path.length - 1, hypothesis);
    },
    /** @param {number} offset from the rank of the current candidate */
    chooseRank(offset) {
      const candidates = state.model.steps[state.step].nodes;
      const next = candidates[candidates.indexOf(current()) + offset];
      if (next) chooseNode(next.id);
    },
    /** @type {(layer: number | null, head: number | null) => void} */
    chooseHead: (layer, head) => change("attention", { layer, head }),
    /** @param {number | null} token id; null for the default */
    chooseRival(token) {
      if (token !== state.rival) change("rival", { rival: token });
    },
    /** @param {boolean} pruned */
    showPruned: (pruned) => change("pruned", { pruned }),
    /** @param {boolean} merged */
    mergeWords: (merged) => change("words", { merged }),
    /** @param {number} mass share of each attention row that the visible weights must reach */
    keepMass: (mass) => change("attention", { mass }),
    /** The current step, as cards ask the server about it. */
    question() {
      const { checkpoint, source_text: text } = state.model.payload.trace;
      const prefix = state.path.slice(0, state.step).map((node) => node.token_id);
      return { checkpoint, text, prefix, token: current().token_id, rival: rival() };
    },
  };
}
