// Searches that find the most probable output for certain: all possible outputs, or by branch and bound.

import { UnrolledError } from "../errors.js";
import { expansions, NEG_INF, rankedTopK, rankScoresOf } from "../search/beam.js";
import { allAbove, LengthNormalizer, Strategy } from "../search/strategy.js";
import { EOS_ID } from "../tokenization/segmentation.js";
import { BeamSearch } from "./beam_search.js";

/** @import { Beam } from "../search/beam.js" */
/** @import { SearchStep } from "../search/loop.js" */
/** @typedef {{ rankScore: number, tokens: number[] }} Output */

const MAX_LEAVES = 200_000;
const MIN_BUDGET = 100;
const MAX_CHILDREN = 1024; // best children that a step considers
const BOUND_TOLERANCE = 1e-4; // nats: the bound must not shut out the sequence that it came from
const GUIDE = { beam_size: 4, length_penalty: 0, normalizer: "power", early_stopping: "false" };
/** @type {Output} */
const NO_OUTPUT = { rankScore: NEG_INF, tokens: [] };

/** Exhaustive search over all possible outputs. For tiny spaces only. */
export class ExhaustiveSearch extends Strategy {
  name = "exhaustive";
  width = 64;
  depthFirst = true;

  /** @param {import("./table.js").Options} options */
  constructor(options) {
    super();
    this.numBest = options.beam_size;
    this.normalizer = new LengthNormalizer(options.normalizer, options.length_penalty);
    this.settings = { num_best: options.beam_size };
  }

  get poolSize() {
    return this.numBest;
  }

  /** @type {Strategy["check"]} */
  check(vocabSize, steps) {
    let leaves = 0;
    for (let length = 0; length <= steps; length++) leaves += (vocabSize - 1) ** length;
    if (leaves > MAX_LEAVES) {
      const digits = Math.log10(vocabSize - 1) * steps; // `leaves` may be infinite
      const power = `${(10 ** (digits % 1)).toFixed(1)} × 10^${Math.floor(digits)}`;
      const size = leaves < 1e12 ? leaves.toLocaleString("en") : power;
      throw new UnrolledError(
        "too_many_sequences",
        "With {tokens} tokens and up to {steps} steps there are {size} sequences; exhaustive search " +
          "scores no more than {limit}. Lower the maximum length, force a longer prefix, or use exact " +
          "search, which skips what cannot win.",
        { tokens: vocabSize.toLocaleString("en"), steps, size, limit: MAX_LEAVES.toLocaleString("en") },
      );
    }
  }

  /** @type {Strategy["expand"]} */
  expand(logProbs, beam) {
    const vocabSize = logProbs.length / beam.tokens.length;
    const rankScores = rankScoresOf(beam, logProbs);
    const flat = rankedTopK(rankScores, rankScores.length).filter((index) => rankScores[index] > NEG_INF);
    return expansions({ best: flat.map((index) => rankScores[index]), flat }, vocabSize);
  }

  /** @type {Strategy["select"]} */
  select(ranking) {
    return allAbove(ranking, NEG_INF);
  }
}

/** Branch and bound (Stahlberg and Byrne 2019). */
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

  /** Return the best of beam x vocabulary above the bound, the guide's next token first. @type {Strategy["expand"]} */
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

  /** @type {Strategy["select"]} */
  select(ranking, hypotheses) {
    return allAbove(ranking, Math.max(this.bound - BOUND_TOLERANCE, hypotheses.worst));
  }

  /** Take a bound from beam search, so that there is a best sequence from the start. @type {Strategy["prepare"]} */
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

  /** @type {Strategy["retry"]} */
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
