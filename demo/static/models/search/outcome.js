// The outcome of a step: which candidates go on, which are finished, and which groups are done.

import { EOS_ID } from "../tokenization/segmentation.js";
import { PADDING } from "./beam.js";
import { EXCLUDING_REASONS } from "./strategy.js";
import { NO_TURN, TOO_LATE, turnsOf } from "./words.js";

/** @import { Beam, BeamHypotheses, Candidates, FinishedSequence, Pool } from "./beam.js" */
/** @import { SearchConditions } from "./loop.js" */
/** @import { Ranking, Selection, Strategy } from "./strategy.js" */

/**
 * The candidates of a step by rank, and which of them go on or end; the rest is dropped.
 * @typedef {object} StepOutcome
 * @property {number[]} rankScores  C
 * @property {number[]} cumulative  C, the model's own
 * @property {number[]} parents  C
 * @property {number[]} tokens  C
 * @property {(string | null)[] | null} reasons  C
 * @property {number[]} survivors  ranks that make the next rows, PADDING where a group has fewer
 * @property {number[]} finished  ranks that finished now
 * @property {number[]} stopped  ranks that would have gone on, but their group is done
 */

export class OutcomeRule {
  /** @param {Strategy} strategy @param {SearchConditions} conditions */
  constructor(strategy, conditions) {
    this.strategy = strategy;
    this.conditions = conditions;
  }

  /**
   * Return the outcome of step `number`, and add finished sequences to the pool.
   * @type {(candidates: Candidates, cumulative: number[], beam: Beam, pool: Pool, number: number) => StepOutcome}
   */
  decide(candidates, cumulative, beam, pool, number) {
    const { rankScores, parents, tokens } = candidates;
    const length = beam.length + 1;
    const atLimit = length === this.conditions.maxLength;
    const ends = tokens.map((token) => atLimit || token === EOS_ID);
    const ranking = { rankScores, ends, reasons: candidates.reasons ?? null };
    const turns = this._turns(candidates);
    const selection = this._selection(ranking, pool, turns);
    const reasons = turns ? this._reasons(ranking, pool, turns, selection) : ranking.reasons;
    /** @type {StepOutcome} */
    const outcome = { rankScores, cumulative, parents, tokens, reasons, ...selection, stopped: [] };
    for (const rank of selection.finished) {
      const sequence = this._sequence(beam, outcome, rank, number);
      pool.groups[sequence.group].add(sequence);
    }
    return this.strategy.depthFirst ? outcome : this._withoutDoneGroups(outcome, pool, length);
  }

  /**
   * The strategy's selection from every group, by rank among all candidates; `turns`, if any, replace the order of the
   * ranks in a group.
   * @type {(ranking: Ranking, pool: Pool, turns: number[] | null) => Selection}
   */
  _selection({ rankScores, ends, reasons }, pool, turns) {
    const { depthFirst, width } = this.strategy;
    const rows = depthFirst ? 0 : width / pool.groups.length;
    const size = Math.floor(rankScores.length / pool.groups.length);
    /** @type {Selection} */
    const all = { survivors: [], finished: [] };
    for (const [group, hypotheses] of pool.groups.entries()) {
      const ranks = inTurn(group * size, size, turns);
      const ranking = {
        rankScores: ranks.map((rank) => rankScores[rank]),
        ends: ranks.map((rank) => ends[rank]),
        reasons: reasons && ranks.map((rank) => reasons[rank]),
      };
      const { survivors, finished } = this.strategy.select(ranking, hypotheses);
      all.survivors.push(...survivors.map((turn) => ranks[turn]).sort((a, b) => a - b));
      for (let i = survivors.length; i < rows; i++) all.survivors.push(PADDING);
      all.finished.push(...finished.map((turn) => ranks[turn]));
    }
    return all;
  }

  /**
   * The place of each candidate in the order of selection, if words are required.
   *
   * A candidate with NO_TURN may not be selected.
   * @param {Candidates} candidates
   */
  _turns(candidates) {
    if (!candidates.banks) return null;
    if (!this.strategy.depthFirst) return turnsOf(candidates, this.strategy.numGroups);
    return candidates.banks.map((bank, rank) => (bank === TOO_LATE ? NO_TURN : rank));
  }

  /**
   * The reasons of the candidates, among them those that the required words give.
   * @type {(ranking: Ranking, pool: Pool, turns: number[], selection: Selection) => (string | null)[]}
   */
  _reasons(ranking, pool, turns, selection) {
    const reasons = turns.map((turn, rank) => {
      const reason = ranking.reasons?.[rank] ?? null;
      return turn === NO_TURN && !EXCLUDING_REASONS.has(reason ?? "") ? "without_words" : reason;
    });
    const ranks = turns.map((turn, rank) => (turn === NO_TURN ? NO_TURN : rank));
    const survivorsByRank = new Set(this._selection(ranking, pool, ranks).survivors);
    const selected = new Set(selection.survivors);
    for (const rank of survivorsByRank) if (rank !== PADDING && !selected.has(rank)) reasons[rank] = "held_back";
    for (const rank of selected) if (rank !== PADDING && !survivorsByRank.has(rank)) reasons[rank] = "for_words";
    return reasons;
  }

  /** @type {(beam: Beam, outcome: StepOutcome, rank: number, stepNumber: number) => FinishedSequence} */
  _sequence(beam, outcome, rank, stepNumber) {
    const { normalizer, numGroups } = this.strategy;
    const length = beam.length + 1;
    const [logProb, rankScore] = [outcome.cumulative[rank], outcome.rankScores[rank]];
    return {
      tokens: [...beam.tokens[outcome.parents[rank]], outcome.tokens[rank]],
      logProb,
      rankScore,
      score: normalizer.score(logProb, length),
      key: normalizer.score(this.strategy.basis(logProb, rankScore), length),
      ended: outcome.tokens[rank] === EOS_ID,
      stepNumber,
      rank,
      group: Math.floor(rank / Math.max(1, Math.floor(outcome.tokens.length / numGroups))),
    };
  }

  /**
   * Stop the survivors (`length` tokens) of each group that is done.
   * @type {(outcome: StepOutcome, pool: Pool, length: number) => StepOutcome}
   */
  _withoutDoneGroups(outcome, pool, length) {
    const width = outcome.survivors.length / pool.groups.length;
    const survivors = [];
    const stopped = [];
    for (const [group, hypotheses] of pool.groups.entries()) {
      let ranks = outcome.survivors.slice(group * width, (group + 1) * width).filter((rank) => rank !== PADDING);
      if (ranks.length && this._isDone(outcome, ranks, hypotheses, length)) {
        stopped.push(...ranks);
        ranks = [];
      }
      survivors.push(...ranks, ...Array(width - ranks.length).fill(PADDING));
    }
    return stopped.length ? { ...outcome, survivors, stopped } : outcome;
  }

  /**
   * Whether a group is done by the strategy's rule.
   * @type {(outcome: StepOutcome, ranks: number[], hypotheses: BeamHypotheses, length: number) => boolean}
   */
  _isDone(outcome, ranks, hypotheses, length) {
    if (!hypotheses.full) return false;
    const basis = ranks.map((rank) => this.strategy.basis(outcome.cumulative[rank], outcome.rankScores[rank]));
    return this.strategy.isDone(Math.max(...basis), length, hypotheses, this.conditions.maxLength);
  }
}

/**
 * `count` ranks from `first` on, without those that have no turn, in the order of their turns.
 * @type {(first: number, count: number, turns: number[] | null) => number[]}
 */
function inTurn(first, count, turns) {
  const ranks = Array.from({ length: count }, (_, i) => first + i);
  if (!turns) return ranks;
  return ranks.filter((rank) => turns[rank] !== NO_TURN).sort((a, b) => turns[a] - turns[b]);
}
