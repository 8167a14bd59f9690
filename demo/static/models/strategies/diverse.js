// Diverse beam search: groups of beams that are penalised for the tokens of earlier groups (Vijayakumar et al. 2018).

import { expansions, NEG_INF, rankedTopK, rankedValues, rankScoresOf } from "../search/beam.js";
import { NO_TURN, turnsOf } from "../search/words.js";
import { EOS_ID } from "../tokenization/segmentation.js";
import { BeamSearch } from "./beam_search.js";

/** @import { Candidates } from "../search/beam.js" */
/** @import { WordProgress } from "../search/words.js" */
/** @import { Options } from "./table.js" */

export class DiverseBeamSearch extends BeamSearch {
  name = "diverse";

  /** @param {Options} options */
  constructor(options) {
    super(options);
    this.numGroups = options.num_groups;
    this.diversity = options.diversity;
    this.settings = { ...this.settings, num_groups: options.num_groups, diversity: options.diversity };
  }

  get groupSize() {
    return this.width / this.numGroups;
  }

  /** @param {number} logProb */
  basis(logProb) {
    return logProb;
  }

  /** Return the best 2n of each group, then those that its penalty displaced. @type {BeamSearch["expand"]} */
  expand(logProbs, beam) {
    const vocabSize = logProbs.length / beam.tokens.length;
    const rows = beam.tokens.length / this.numGroups;
    const rankScores = rankScoresOf(beam, logProbs);
    const counts = new Float32Array(vocabSize); // how often earlier groups chose each token
    /** @type {Required<Pick<Candidates, "parents" | "tokens" | "rankScores" | "reasons">>} */
    const all = { parents: [], tokens: [], rankScores: [], reasons: [] };
    for (let group = 0; group < this.numGroups; group++) {
      const unpenalised = rankScores.subarray(group * rows * vocabSize, (group + 1) * rows * vocabSize);
      const words = beam.words?.rows(group * rows, (group + 1) * rows) ?? null;
      const part = this._candidates(unpenalised, counts, words);
      for (const token of this._goingOn(part)) counts[token]++;
      all.parents.push(...part.parents.map((parent) => parent + group * rows));
      all.tokens.push(...part.tokens);
      all.rankScores.push(...part.rankScores);
      all.reasons.push(...(part.reasons ?? []));
    }
    return all;
  }

  /**
   * The 2n best of a group's rank scores (rows * V), and 2n columns for displaced ones.
   * @type {(unpenalised: Float32Array, counts: Float32Array, words: WordProgress | null) => Candidates}
   */
  _candidates(unpenalised, counts, words) {
    const vocabSize = counts.length;
    const count = Math.min(2 * this.groupSize, unpenalised.length);
    const penalties = counts.map((number) => this.diversity * number);
    const penalised = unpenalised.map((value, i) => value - penalties[i % vocabSize]);
    const ranked = rankedValues(penalised, count, words);
    const best = rankedTopK(unpenalised, count);
    // Without the penalty of this step these would have gone on or ended.
    let rankAmongOthers = 0;
    const wouldGoOn = best.map(
      (index, rank) => (index % vocabSize === EOS_ID ? rank : rankAmongOthers++) < this.groupSize,
    );
    const passed = ranked.flat.map((index) => wouldGoOn[best.indexOf(index)] === true);
    const missing = best.map((index, i) => wouldGoOn[i] && !ranked.flat.includes(index));
    const displacedScores = best.map((index, i) => (missing[i] ? penalised[index] : NEG_INF));
    const flat = [...ranked.flat, ...best];
    /** @type {Candidates} */
    const part = {
      ...expansions({ best: [...ranked.best, ...displacedScores], flat }, vocabSize),
      reasons: [...passed, ...missing].map((isPenalised) => (isPenalised ? "group_penalty" : null)),
    };
    return words ? words.withBanks(part) : part;
  }

  /** The tokens with which the rows of this group go on. @param {Candidates} part */
  _goingOn(part) {
    const turns = part.banks ? turnsOf(part) : [...part.tokens.keys()];
    const ranks = [...turns.keys()].filter(
      (rank) => part.tokens[rank] !== EOS_ID && part.rankScores[rank] > NEG_INF && turns[rank] !== NO_TURN,
    );
    ranks.sort((one, other) => turns[one] - turns[other]);
    return ranks.slice(0, this.groupSize).map((rank) => part.tokens[rank]);
  }
}
