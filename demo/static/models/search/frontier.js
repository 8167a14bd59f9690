// Which rows a search expands next.

import { NEG_INF, PADDING } from "./beam.js";

/** @import { DecoderState } from "../networks/network.js" */
/** @import { Beam, Pool } from "./beam.js" */
/** @import { SearchStep } from "./loop.js" */
/** @typedef {Pick<SearchStep, "beam" | "outcome" | "number"> & { tempered?: number[] }} Step */
/** @typedef {{ beam: Beam, state: DecoderState, lastTokens: number[] }} LiveRows */

/** The rows that candidates continue; 0 for padding. @param {SearchStep["outcome"]} outcome @param {number[]} ranks */
const parentsOf = (outcome, ranks) => ranks.map((rank) => (rank === PADDING ? 0 : outcome.parents[rank]));

/**
 * Make the rows of candidates, of a state. A rank of PADDING makes a row that is padding.
 * @type {(step: Step, ranks: number[], state: DecoderState) => LiveRows}
 */
function nextRows({ beam, outcome, tempered, number }, ranks, state) {
  const parents = parentsOf(outcome, ranks);
  const lastTokens = ranks.map((rank) => (rank === PADDING ? 0 : outcome.tokens[rank]));
  const valuesOf = (/** @type {number[]} */ column) => ranks.map((rank) => (rank === PADDING ? NEG_INF : column[rank]));
  /** @type {Beam} */
  const next = {
    tokens: parents.map((parent, row) => [...beam.tokens[parent], lastTokens[row]]),
    cumulative: valuesOf(outcome.cumulative),
    rankScores: valuesOf(outcome.rankScores),
    tempered: tempered ? valuesOf(tempered) : null,
    length: beam.length + 1,
    origin: number,
    ranks,
    words: null,
  };
  return { beam: next, state, lastTokens };
}

/** All survivors of a step together. */
export class Lockstep {
  /** @type {LiveRows | null} */
  #next = null;

  /** @param {SearchStep} step @param {DecoderState} state */
  push(step, state) {
    const { outcome, candidates } = step;
    const { survivors } = outcome;
    if (survivors.every((rank) => rank === PADDING)) return;
    const parents = parentsOf(outcome, survivors);
    this.#next = nextRows({ ...step, tempered: candidates.tempered }, survivors, state.reorder(parents));
  }

  pop() {
    const rows = this.#next;
    this.#next = null;
    return rows;
  }
}

/**
 * The parts that T steps added to the decoder state, oldest first, and the row of each step that leads to each of
 * R rows. Steps share the parts of their common ancestors; a full state for each step would take memory quadratic
 * in the depth.
 * @typedef {{ parts: unknown[], rowIndices: number[][] }} Path
 */
/** @typedef {Step & { path: Path }} ExpandedStep */

/** A stack: the best survivors of the latest step first, `width` at a time; only those that may still win. */
export class DepthFirst {
  /** @type {{ step: ExpandedStep, ranks: number[] }[]} */
  #stack = [];
  /** @type {DecoderState | null} */
  #firstState = null; // all rebuilt states share its encoded source
  /** @type {{ step: ExpandedStep, state: DecoderState } | null} */
  #latest = null; // keeps its whole state: the next rows are usually its own
  /** @type {Path} */
  #livePath = { parts: [], rowIndices: [] }; // to the rows that are being expanded

  /** @param {import("./strategy.js").Strategy} strategy @param {Pool} pool */
  constructor(strategy, pool) {
    this.strategy = strategy;
    this.hypotheses = pool.groups[0];
  }

  /** @param {SearchStep} step @param {DecoderState} state */
  push({ beam, outcome, candidates, number }, state) {
    const { survivors } = outcome;
    const { width } = this.strategy;
    if (!survivors.length) return;
    this.#firstState ??= state.reorder([0]);
    const path = {
      parts: [...this.#livePath.parts, state.newest()],
      rowIndices: [...this.#livePath.rowIndices, [...beam.tokens.keys()]],
    };
    const step = { beam, outcome, number, tempered: candidates.tempered, path };
    this.#latest = { step, state };
    for (let start = Math.ceil(survivors.length / width) * width - width; start >= 0; start -= width)
      this.#stack.push({ step, ranks: survivors.slice(start, start + width) });
  }

  /** @returns {LiveRows | null} */
  pop() {
    for (let branch = this.#stack.pop(); branch; branch = this.#stack.pop()) {
      const { step } = branch;
      const bound = this.strategy.bounded ? this.hypotheses.worst : NEG_INF;
      const ranks = branch.ranks.filter((rank) => step.outcome.rankScores[rank] > bound);
      if (ranks.length) return nextRows(step, ranks, this._state(step, ranks));
    }
    return null;
  }

  /**
   * The decoder state of the rows that a step's candidates continue.
   * @type {(step: ExpandedStep, ranks: number[]) => DecoderState}
   */
  _state(step, ranks) {
    const parents = parentsOf(step.outcome, ranks);
    const rowIndices = step.path.rowIndices.map((indices) => parents.map((parent) => indices[parent]));
    const latest = this.#latest;
    this.#latest = null;
    this.#livePath = { parts: step.path.parts, rowIndices };
    if (latest?.step === step) return latest.state.reorder(parents);
    return /** @type {DecoderState} */ (this.#firstState).resume(step.path.parts, rowIndices);
  }
}
