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

/** @param {(change: Change) => void} onChange */
export function createSelection(onChange) {
  /** @type {State} */
  const state = {
    model: /** @type {any} */ (null),
    path: [],
    hypothesis: -1,
    step: 0,
    layer: null,
    head: null,
    pruned: true,
    forced: [],
    merged: false,
    mass: 1,
    rival: null,
  };
  const current = () => state.path[state.step];
  const follow = (path, step, hypothesis) => {
    Object.assign(state, { path, hypothesis, step: clamp(step, 0, Math.max(0, path.length - 1)) });
    onChange("path");
  };

  /** @param {Shown} shown */
  function load({ model, step = 0, forced = [] }) {
    Object.assign(state, {
      model,
      forced,
      path: [],
      hypothesis: -1,
      step: 0,
      layer: null,
      head: null,
      rival: null,
    });
    if (!model) return;
    if (model.paths.length) Object.assign(state, { path: model.paths[0], hypothesis: 0 });
    else if (model.steps.length) state.path = model.path(model.steps[model.steps.length - 1].nodes[0].id);
    state.step = clamp(step, 0, Math.max(0, state.path.length - 1));
  }

  function chooseHypothesis(index) {
    const last = state.model.hypotheses.length - 1;
    if (last >= 0) follow(state.model.paths[clamp(index, 0, last)], state.step, clamp(index, 0, last));
  }

  // Chooses the whole path of a node, to the end of the best hypothesis through it if there is one.
  function chooseNode(id) {
    const node = state.model.nodes.get(id);
    if (!node) return;
    if (state.path[node.step] === node) return goTo(node.step);
    const owner = state.model.owner(id);
    follow(owner < 0 ? state.model.path(id) : state.model.paths[owner], node.step, owner);
  }

  // Chooses the path that ends at a node, which may be on no hypothesis.
  function chooseEnd(id) {
    const path = state.model.path(id);
    follow(
      path,
      path.length - 1,
      state.model.hypotheses.findIndex((hypothesis) => hypothesis.node === id),
    );
  }

  function goTo(step) {
    const next = clamp(step, 0, Math.max(0, state.path.length - 1));
    if (next === state.step) return;
    state.step = next;
    onChange("step");
  }

  function chooseRank(offset) {
    const candidates = state.model.steps[state.step].nodes;
    const next = candidates[candidates.indexOf(current()) + offset];
    if (next) chooseNode(next.id);
  }

  function chooseHead(layer, head) {
    Object.assign(state, { layer, head });
    onChange("attention");
  }

  function mergeWords(merged) {
    state.merged = merged;
    onChange("words");
  }

  // Sets the share of each attention row that the visible weights must reach.
  function keepMass(mass) {
    state.mass = mass;
    onChange("attention");
  }

  /** @param {number | null} token id; null for the default */
  function chooseRival(token) {
    if (token === state.rival) return;
    state.rival = token;
    onChange("rival");
  }

  /** The most probable other tokens of the step, each of which may be the rival. */
  function rivals() {
    const node = current();
    return node ? state.model.row(node).top.filter(({ token_id }) => token_id !== node.token_id) : [];
  }

  /** The chosen rival if it is among those of the step. */
  const rival = () => (rivals().some(({ token_id }) => token_id === state.rival) ? state.rival : null);

  function showPruned(pruned) {
    state.pruned = pruned;
    onChange("pruned");
  }

  return {
    state,
    current,
    load,
    chooseHypothesis,
    chooseNode,
    chooseEnd,
    chooseRank,
    chooseRival,
    rivals,
    rival,
    chooseHead,
    goTo,
    showPruned,
    mergeWords,
    keepMass,
  };
}
