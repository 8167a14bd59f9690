// Exact search: the most probable output, by branch and bound (Stahlberg and Byrne 2019).

import { expansions, NEG_INF, rankedTopK, rankScoresOf } from "../search/beam.js";
import { allAbove, Strategy } from "../search/strategy.js";
import { EOS_ID } from "../tokenization/segmentation.js";
import { BeamSearch } from "./beam_search.js";

/** @typedef {import("../search/beam.js").Beam} Beam */
/** @typedef {import("../search/loop.js").SearchStep} SearchStep */
/** @typedef {{ rankScore: number, tokens: number[] }} Output */

const MIN_BUDGET = 100;
const MAX_CHILDREN = 1024; // best children that a step considers
const BOUND_TOLERANCE = 1e-4; // nats: the bound must not shut out the sequence that it came from
const GUIDE = { beam_size: 4, length_penalty: 0, normalizer: "power", early_stopping: "false" };
/** @type {Output} */
const NO_OUTPUT = { rankScore: NEG_INF, tokens: [] };

export class ExactSearch extends Strategy {
  name = "exact";
  width = 16;
  bounded = true;
  depthFirst = true;

  /**
   * @param {{ node_budget: number }} options
   * @param {number} [bound]  the log-probability of `guide`
   * @param {number[]} [guide]  a sequence from an earlier search, which is expanded first
   */
  constructor({ node_budget: budget }, bound = NEG_INF, guide = []) {
    super();
    this.budget = budget;
    this.bound = bound;
    this.guide = guide;
    this.settings = { node_budget: budget };
  }

  get poolSize() {
    return 1;
  }

  /**
   * Return the best of beam x vocabulary above the bound, the guide's next token first.
   * @param {Float32Array} logProbs
   * @param {Beam} beam
   */
  expand(logProbs, beam) {
    const vocabSize = logProbs.length / beam.tokens.length;
    const rankScores = rankScoresOf(beam, logProbs);
    const above = rankedTopK(rankScores, MAX_CHILDREN + 1).filter((i) => rankScores[i] > this.bound - BOUND_TOLERANCE);
    const bestOmitted = above.length > MAX_CHILDREN ? rankScores[above[MAX_CHILDREN]] : NEG_INF;
    let flat = above.slice(0, MAX_CHILDREN);
    const guide = this._guideIndex(beam, vocabSize);
    if (guide !== null) flat = [guide, ...flat.filter((index) => index !== guide)];
    const best = flat.map((index) => rankScores[index]);
    return { ...expansions({ best, flat }, vocabSize), bestOmitted };
  }

  /**
   * The index of the guide's next token in beam x vocabulary, if a row is on its path.
   * @type {(beam: Beam, vocabSize: number) => number | null}
   */
  _guideIndex(beam, vocabSize) {
    if (beam.length >= this.guide.length) return null;
    const row = beam.tokens.findIndex((tokens) => tokens.every((token, i) => token === this.guide[i]));
    return row < 0 ? null : row * vocabSize + this.guide[beam.length];
  }

  /**
   * @param {import("../search/strategy.js").Ranking} ranking
   * @param {import("../search/beam.js").BeamHypotheses} hypotheses
   */
  select(ranking, hypotheses) {
    return allAbove(ranking, Math.max(this.bound - BOUND_TOLERANCE, hypotheses.worst));
  }

  /**
   * Take a bound from beam search, so that there is a best sequence from the start.
   * @type {(steps: (strategy: Strategy) => Iterable<SearchStep>, mayEndAnywhere: boolean) => ExactSearch}
   */
  prepare(steps, mayEndAnywhere) {
    if (this.guide.length) return this;
    /** @type {Output[]} */
    const ends = [];
    /** @type {Output[]} */
    let finished = [];
    for (const step of steps(new BeamSearch(GUIDE))) {
      if (mayEndAnywhere && !step.isForced) ends.push(bestEnd(step));
      finished = step.pool.groups[0].sequences;
    }
    const best = [...ends, ...finished].reduce((one, other) => (isGreater(other, one) ? other : one), NO_OUTPUT);
    return new ExactSearch({ node_budget: this.budget ?? 0 }, best.rankScore, best.tokens);
  }

  /** @param {import("../record/recorder.js").Hypothesis} best @param {number} budgetLeft */
  retry(best, budgetLeft) {
    const bound = best.order ?? best.log_prob;
    if (bound <= this.bound || budgetLeft < MIN_BUDGET) return null;
    return new ExactSearch({ node_budget: budgetLeft }, bound, best.token_ids);
  }
}

/** Whether one output is greater than another, as Python compares tuples. @param {Output} one @param {Output} other */
function isGreater(one, other) {
  if (one.rankScore !== other.rankScore) return one.rankScore > other.rankScore;
  for (const [i, token] of one.tokens.entries()) {
    if (i >= other.tokens.length) return true;
    if (token !== other.tokens[i]) return token > other.tokens[i];
  }
  return false;
}

/** The most probable output that ends at this step; a beam may drop it. @param {SearchStep} step @returns {Output} */
function bestEnd({ beam, logProbs }) {
  const vocabSize = logProbs.length / beam.tokens.length;
  const rankScores = beam.rankScores.map((score, row) => Math.fround(score + logProbs[row * vocabSize + EOS_ID]));
  const row = rankScores.indexOf(Math.max(...rankScores));
  return { rankScore: rankScores[row], tokens: [...beam.tokens[row], EOS_ID] };
}
