// The rows that a search holds between two steps, the candidates for the next one, and finished sequences.

/** @import { WordProgress } from "./words.js" */

export const NEG_INF = Number.NEGATIVE_INFINITY;
export const PADDING = -1; // the rank of a row that no candidate fills
export const MIN_ROW_TOP = 10; // tokens of each row, at least
const MAX_RANKED_BY_ROW = 100_000; // probabilities; beyond it, ties are broken over all rows at once
const MAX_INSERTED = 64; // values; to find more of them, sorting is faster

/**
 * The live rows. A row whose rank score is -inf is padding.
 * @typedef {object} Beam
 * @property {number[][]} tokens  K lists, generated so far
 * @property {number[]} cumulative  K, the model's log-probability of the whole prefix
 * @property {number[]} rankScores  K: the search ranks by these
 * @property {number[] | null} tempered  K, cumulative tempered log-probability, if a strategy needs it
 * @property {number} length  tokens generated so far
 * @property {number} origin  number of the step that made these rows; -1 for the empty prefix
 * @property {number[] | null} ranks  K: which candidate of that step each row is, or PADDING; null at first
 * @property {WordProgress | null} words  null if no words are required
 */

/**
 * Ranked expansions, best first within each group; a rank score of -inf marks an unused one.
 * @typedef {object} Candidates
 * @property {number[]} parents  C, row of the beam
 * @property {number[]} tokens  C
 * @property {number[]} rankScores  C
 * @property {number[]} [tempered]  C
 * @property {(string | null)[]} [reasons]  C
 * @property {number} [bestOmitted]  the best rank score of the expansions that the strategy left out because of its
 *   limit on candidates
 * @property {number[]} [banks]  C, tokens of the required words, or TOO_LATE
 */

/** @typedef {{ best: number[], flat: number[] }} Ranked  values and their indices, best first */

/**
 * One sequence that ended; `stepNumber` and `rank` say which candidate of which step it was.
 * @typedef {object} FinishedSequence
 * @property {number[]} tokens
 * @property {number} logProb  the model's own
 * @property {number} rankScore
 * @property {number} score  the model's own, length-normalised
 * @property {number} key  the value that it competes by in its pool
 * @property {boolean} ended  whether it has an end token; false: cut off at the length limit
 * @property {number} stepNumber
 * @property {number} rank
 * @property {number} group
 */

/**
 * The number of prefixes to expand: rows that are not padding. Rows that hold the empty prefix, at the first step,
 * count as one.
 * @param {Beam} beam
 */
export const numPrefixes = (beam) => (beam.ranks ? beam.ranks.filter((rank) => rank !== PADDING).length : 1);

/** The best finished sequences of one group, at most `size`, best key first. */
export class BeamHypotheses {
  /** @param {number} size */
  constructor(size) {
    this.size = size;
    /** @type {FinishedSequence[]} */
    this.sequences = [];
  }

  get full() {
    return this.sequences.length >= this.size;
  }

  /** The lowest key held; -inf while there is room. */
  get worst() {
    return this.full ? this.sequences[this.sequences.length - 1].key : NEG_INF;
  }

  /** Insert by key, behind equal ones, and drop the last one beyond `size`. @param {FinishedSequence} sequence */
  add(sequence) {
    const behind = this.sequences.findIndex(({ key }) => key < sequence.key);
    this.sequences.splice(behind < 0 ? this.sequences.length : behind, 0, sequence);
    this.sequences.length = Math.min(this.sequences.length, this.size);
  }
}

/** The finished sequences of one sentence, separate for each group. */
export class Pool {
  /** @param {number} size @param {number} groups */
  constructor(size, groups) {
    this.groups = Array.from({ length: groups }, () => new BeamHypotheses(Math.floor(size / groups)));
  }

  /** All sequences, best first; across groups by the model's score. */
  get sequences() {
    if (this.groups.length === 1) return this.groups[0].sequences;
    return this.groups.flatMap(({ sequences }) => sequences).sort((one, other) => other.score - one.score);
  }
}

/**
 * Return the indices of the k highest values, best first, ties to the lower index.
 * @type {(values: ArrayLike<number>, k: number, start?: number, end?: number) => number[]}
 */
export function rankedTopK(values, k, start = 0, end = values.length) {
  if (k > MAX_INSERTED) return bySorting(values, k, start, end);
  /** @type {number[]} */
  const best = [];
  const size = Math.min(k, end - start);
  let worst = NEG_INF;
  for (let i = start; i < end; i++) {
    if (best.length === size && !(values[i] > worst)) continue;
    if (best.length === size) best.pop();
    let rank = best.length;
    while (rank > 0 && values[best[rank - 1]] < values[i]) rank--;
    best.splice(rank, 0, i);
    worst = values[best[best.length - 1]];
  }
  return best;
}

/** @type {(values: ArrayLike<number>, k: number, start: number, end: number) => number[]} */
function bySorting(values, k, start, end) {
  const sorted = Float64Array.from({ length: end - start }, (_, i) => values[start + i]).sort();
  const least = sorted[Math.max(0, sorted.length - k)];
  const indices = [];
  for (let i = start; i < end; i++) if (values[i] >= least) indices.push(i);
  return indices.sort((one, other) => values[other] - values[one] || one - other).slice(0, k);
}

/**
 * Rank scores of beam x vocabulary (K * V), in single precision.
 * @type {(beam: Beam, logProbs: Float32Array) => Float32Array}
 */
export function rankScoresOf(beam, logProbs) {
  const vocabSize = logProbs.length / beam.rankScores.length;
  const rankScores = new Float32Array(logProbs.length);
  for (const [row, score] of beam.rankScores.entries())
    for (let i = row * vocabSize; i < (row + 1) * vocabSize; i++) rankScores[i] = score + logProbs[i];
  return rankScores;
}

/**
 * Return the `count` best of beam x vocabulary by their rank scores; the log-probabilities are (K * V).
 * @type {(logProbs: Float32Array, beam: Beam, count: number) => Candidates}
 */
export function bestExpansions(logProbs, beam, count) {
  const vocabSize = logProbs.length / beam.rankScores.length;
  if (beam.rankScores.length === 1 && !beam.words) {
    // Rank the tokens before adding the row's score: adding a large score first could round nearly equal numbers to
    // the same value.
    const flat = rankedTopK(logProbs, count);
    return expansions({ best: flat.map((i) => Math.fround(beam.rankScores[0] + logProbs[i])), flat }, vocabSize);
  }
  const rankScores = rankScoresOf(beam, logProbs);
  if (beam.words || logProbs.length > MAX_RANKED_BY_ROW)
    return expansions(rankedValues(rankScores, count, beam.words), vocabSize);
  // The best of all are among the best of each row; a tie goes to the lower row, then to the better token.
  const rows = beam.rankScores.flatMap((_, row) =>
    rankedTopK(logProbs, Math.max(count, MIN_ROW_TOP), row * vocabSize, (row + 1) * vocabSize),
  );
  const ofRows = rows.map((i) => rankScores[i]);
  const { best, flat } = rankedValues(ofRows, count, null);
  return expansions({ best, flat: flat.map((i) => rows[i]) }, vocabSize);
}

/**
 * The `count` highest values with their indices, best first; with required words, also those that the words need.
 * @type {(values: ArrayLike<number>, count: number, words: WordProgress | null) => Ranked}
 */
export function rankedValues(values, count, words) {
  if (words) return words.expansions(values, count);
  const flat = rankedTopK(values, count);
  return { best: flat.map((i) => values[i]), flat };
}

/** Candidates from rank scores and indices into K * V. @type {(ranked: Ranked, vocabSize: number) => Candidates} */
export function expansions({ best, flat }, vocabSize) {
  const parents = flat.map((index) => Math.floor(index / vocabSize));
  return { parents, tokens: flat.map((index) => index % vocabSize), rankScores: best };
}
