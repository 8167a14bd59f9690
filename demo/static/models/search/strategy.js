// The decisions of a search, and those that most strategies share.

import { NEG_INF } from "./beam.js";

/** @import { Hypothesis } from "../record/recorder.js" */
/** @import { Beam, BeamHypotheses, Candidates } from "./beam.js" */
/** @import { SearchStep } from "./loop.js" */

/**
 * The candidates of one group, in order of rank.
 * @typedef {{ rankScores: number[], ends: boolean[], reasons: (string | null)[] | null }} Ranking
 */
/** @typedef {{ survivors: number[], finished: number[] }} Selection  the ranks that go on, and those that end */

/** Reasons that drop a candidate whatever its rank. */
export const EXCLUDING_REASONS = new Set(["threshold", "bound"]);

/** The score of `length` tokens is their log-probability divided by this. */
export class LengthNormalizer {
  /** @param {string} kind  power, gnmt or none @param {number} alpha */
  constructor(kind = "power", alpha = 0) {
    this.kind = kind;
    this.alpha = alpha;
  }

  /** @param {number} length */
  penalty(length) {
    if (this.kind === "none") return 1;
    return (this.kind === "power" ? length : (5 + length) / 6) ** this.alpha;
  }

  /** @param {number} logProb @param {number} length */
  score(logProb, length) {
    return logProb / this.penalty(length);
  }
}

export class Strategy {
  name = "";
  width = 1; // live rows; in a depth-first search, rows that are expanded together
  numGroups = 1; // searches that run side by side
  rowsCompete = true; // false: a row takes its token without a competition
  depthFirst = false; // the newest rows first
  bounded = false; // a prefix that ranks below the finished sequences is dropped
  /** @type {number | null} */
  budget = null; // prefixes that may be expanded before the search gives up
  normalizer = new LengthNormalizer();
  /** @type {Record<string, unknown>} */
  settings = {}; // a trace records these

  /** Rows at the first step. */
  get numStarts() {
    return this.numGroups;
  }

  get poolSize() {
    return this.width;
  }

  /** Whether a hypothesis that lacks required words may go on beside one that has them. */
  get allowsRequiredWords() {
    return this.depthFirst || (this.rowsCompete && this.width > this.numGroups);
  }

  /**
   * Return the ranked candidates of a step. logProbs (K * V) are the model's, after the constraints.
   * @type {(_logProbs: Float32Array, _beam: Beam, _rng: import("./random.js").Generator) => Candidates}
   */
  expand(_logProbs, _beam, _rng) {
    throw new Error(`${this.name} does not expand`);
  }

  /**
   * Return the probabilities (V) that the strategy draws the next token by; null: it draws none.
   * @param {Float32Array} _row  V, the log-probabilities of `expand`
   * @returns {Float32Array | null}
   */
  chances(_row) {
    return null;
  }

  /** Return the candidates with a reason for each one below the threshold, if any. @param {Candidates} candidates */
  applyThreshold(candidates) {
    return candidates;
  }

  /**
   * Select the first `width` that do not end; an end counts if it ranks among the first `width`.
   * @type {(ranking: Ranking, _hypotheses: BeamHypotheses) => Selection}
   */
  select({ rankScores, ends, reasons }, _hypotheses) {
    const width = this.width / this.numGroups;
    const survivors = [];
    const finished = [];
    for (const [rank, value] of rankScores.entries()) {
      if (value === NEG_INF || EXCLUDING_REASONS.has(reasons?.[rank] ?? "")) continue;
      if (ends[rank] && rank < width) finished.push(rank);
      if (!ends[rank] && survivors.length < width) survivors.push(rank);
    }
    return { survivors, finished };
  }

  /** The value that ranks finished hypotheses. @type {(_logProb: number, rankScore: number) => number} */
  basis(_logProb, rankScore) {
    return rankScore;
  }

  /**
   * Whether the search of a full group ends here, at `_length` tokens; its running sequences are dropped.
   * By default it does where rows do not compete, and in no other strategy.
   * @type {(_bestRunning: number, _length: number, _hypotheses: BeamHypotheses, _maxLength: number) => boolean}
   */
  isDone(_bestRunning, _length, _hypotheses, _maxLength) {
    return !this.rowsCompete;
  }

  /**
   * Throw an Error if there are too many outputs of at most `steps` tokens to search them all.
   * @type {(_vocabSize: number, _steps: number) => void}
   */
  check(_vocabSize, _steps) {}

  /**
   * Return this strategy, improved by the results of another one before the search begins. `_mayEndAnywhere`: no
   * constraint delays the end token.
   * @type {(_steps: (strategy: Strategy) => Iterable<SearchStep>, _mayEndAnywhere: boolean) => Strategy}
   */
  prepare(_steps, _mayEndAnywhere) {
    return this;
  }

  /**
   * Return the strategy of a second search, if this one left candidates out and budget remains.
   * @type {(_best: Hypothesis, _budgetLeft: number) => Strategy | null}
   */
  retry(_best, _budgetLeft) {
    return null;
  }

  /**
   * Return the hypotheses in the final order, and the utilities that they were compared by, if any.
   * @type {(hypotheses: Hypothesis[]) => { hypotheses: Hypothesis[], utilities: object | null }}
   */
  rerank(hypotheses) {
    return { hypotheses, utilities: null };
  }
}

/**
 * Select the candidates above a bound; each finished one raises it, unless it is -inf.
 * @type {(ranking: Ranking, bound: number) => Selection}
 */
export function allAbove({ rankScores, ends }, bound) {
  const survivors = [];
  const finished = [];
  let least = bound;
  for (const [rank, value] of rankScores.entries()) {
    if (!(value > least)) continue;
    if (ends[rank]) {
      finished.push(rank);
      if (least > NEG_INF) least = Math.max(least, value);
    } else survivors.push(rank);
  }
  return { survivors, finished };
}
