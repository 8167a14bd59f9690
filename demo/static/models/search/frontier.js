// Which rows a search expands next.

import { NEG_INF, PADDING } from "./beam.js";

/** @typedef {import("./beam.js").Beam} Beam */
/** @typedef {import("../networks/network.js").DecoderState} DecoderState */
/** @typedef {import("./loop.js").SearchStep} SearchStep */
/** @typedef {{ beam: Beam, state: DecoderState, lastTokens: number[] }} LiveRows */

/**
 * Make the rows of candidates. A rank of PADDING makes a row that is padding.
 *
 * @param {SearchStep} step
 * @param {DecoderState} state
 * @param {number[]} ranks
 * @returns {LiveRows}
 */
function nextRows({ beam, outcome, candidates, number }, state, ranks) {
  const parents = ranks.map((rank) => (rank === PADDING ? 0 : outcome.parents[rank]));
  const lastTokens = ranks.map((rank) => (rank === PADDING ? 0 : outcome.tokens[rank]));
  const of = (/** @type {number[]} */ column) => ranks.map((rank) => (rank === PADDING ? NEG_INF : column[rank]));
  /** @type {Beam} */
  const next = {
    tokens: parents.map((parent, row) => [...beam.tokens[parent], lastTokens[row]]),
    logProbs: of(outcome.cumulative),
    rankScores: of(outcome.rankScores),
    tempered: candidates.tempered ? of(candidates.tempered) : null,
    length: beam.length + 1,
    origin: number,
    ranks,
    words: null,
  };
  return { beam: next, state: state.reorder(parents), lastTokens };
}

/** All survivors of a step together. */
export class Lockstep {
  /** @type {LiveRows | null} */
  #next = null;

  /** @param {SearchStep} step @param {DecoderState} state */
  push(step, state) {
    const { survivors } = step.outcome;
    if (survivors.some((rank) => rank !== PADDING)) this.#next = nextRows(step, state, survivors);
  }

  pop() {
    const rows = this.#next;
    this.#next = null;
    return rows;
  }
}

/** A stack: the best survivors of the latest step first, `width` at a time; only those that may still win. */
export class DepthFirst {
  /** @type {{ step: SearchStep, state: DecoderState, ranks: number[] }[]} */
  #stack = [];

  /** @param {import("./strategy.js").Strategy} strategy @param {import("./beam.js").Pool} pool */
  constructor(strategy, pool) {
    this.strategy = strategy;
    this.hypotheses = pool.groups[0];
  }

  /** @param {SearchStep} step @param {DecoderState} state */
  push(step, state) {
    const { survivors } = step.outcome;
    const { width } = this.strategy;
    for (let start = Math.ceil(survivors.length / width) * width - width; start >= 0; start -= width)
      this.#stack.push({ step, state, ranks: survivors.slice(start, start + width) });
  }

  /** @returns {LiveRows | null} */
  pop() {
    for (let branch = this.#stack.pop(); branch; branch = this.#stack.pop()) {
      const { step, state } = branch;
      const bound = this.strategy.bounded ? this.hypotheses.worst : NEG_INF;
      const ranks = branch.ranks.filter((rank) => step.outcome.rankScores[rank] > bound);
      if (ranks.length) return nextRows(step, state, ranks);
    }
    return null;
  }
}
