// The recorder of a search, which makes the steps and hypotheses of a trace.

import { MIN_ROW_TOP, NEG_INF, PADDING, rankedTopK } from "../search/beam.js";
import { EOS_ID } from "../tokenization/segmentation.js";
import { finalSteps } from "./final_steps.js";

/** @import { FinishedSequence } from "../search/beam.js" */
/** @import { SearchStep } from "../search/loop.js" */
/** @import { Strategy } from "../search/strategy.js" */
/** @import { Tokenizer } from "../tokenization/tokenizer.js" */

/**
 * @typedef {{ token_id: number, token: string, log_prob: number }} NextToken
 * @typedef {(step: SearchStep) => string | null | Promise<string | null>} OnStep  may return a reason to stop
 * @typedef {{ node: number | null, top: NextToken[], entropy: number, attention: number[][][] | null,
 *   allowed?: number[], chances?: number[] }} DecodedRow
 * @typedef {{ id: number, parent: number | null, step: number, token_id: number, token: string, log_prob: number,
 *   cumulative: number, score: number, rank: number, token_rank: number, status: string, reason: string,
 *   order: number | null, group: number, chance?: number }} BeamNode
 * @typedef {{ node: number, token_ids: number[], text: string, log_prob: number, score: number, ended: boolean,
 *   order: number | null, group: number, utility: number | null, written?: number[] }} Hypothesis
 * @typedef {{ index: number, rows: DecodedRow[], nodes: BeamNode[] }} ObservedStep
 * @typedef {{ processed: Float32Array, drawn: Float32Array | null }} RowNumbers
 * @typedef {{ expanded: number, recorded: number, seen: number, stop: string, budget: number | null }} Exploration
 */

const MAX_DROPPED = 3; // dropped candidates that a depth-first step records; it may rank the whole vocabulary
const WORD_REASONS = new Set(["for_words", "held_back"]);
const MIN_LOG_PROB = -1e4; // a floor under log-probabilities, which makes 0 x log 0 = 0
const SCALE = 1e6; // recorded numbers have six decimals

/** Round to six decimals, halves to even. @param {number} value */
export function roundDecimals(value) {
  const scaled = value * SCALE;
  const nearest = Math.round(scaled);
  if (!Number.isFinite(scaled)) return value;
  return (nearest - scaled === 0.5 && nearest % 2 ? nearest - 1 : nearest) / SCALE;
}

/**
 * Whether a probability is the model's own, up to the rounding of recorded numbers.
 * @type {(chance: number, logProb: number) => boolean}
 */
const isOwn = (chance, logProb) => Math.abs(chance - Math.exp(logProb)) < 2 / SCALE;

/** @param {RowNumbers} numbers  NaN if no token is allowed @param {number} id */
const chanceOf = ({ processed, drawn }, id) => (drawn ? drawn[id] || 0 : Math.exp(processed[id]));

export class Recorder {
  /**
   * @param {Tokenizer} tokenizer
   * @param {Strategy} strategy
   * @param {[number, number, number] | null} attentionShape  layers, heads and source tokens
   */
  constructor(tokenizer, strategy, attentionShape) {
    this.tokenizer = tokenizer;
    this.strategy = strategy;
    this.attentionShape = attentionShape;
    /** @type {ObservedStep[]} */
    this.steps = [];
    /** @type {Set<number | null>} */
    this.expanded = new Set(); // the expanded nodes
    /** @type {Map<number, Map<number, number>>} */
    this.nodes = new Map(); // ids by the number of a step and the rank
    this.nextId = 0;
    this.seen = 0;
  }

  /**
   * Run a search to its end, or until `onStep` returns a reason to stop.
   * @param {Iterable<SearchStep>} steps
   * @param {OnStep} onStep
   */
  async record(steps, onStep) {
    /** @type {FinishedSequence[]} */
    let pool = [];
    let [stop, expanded] = ["complete", 0];
    for (const step of steps) {
      this.steps.push(this._observe(step));
      pool = step.pool.sequences;
      expanded = step.expanded;
      if (step.gaveUp) stop = "budget";
      else {
        const reason = await onStep(step);
        if (reason) {
          stop = reason;
          break;
        }
      }
    }
    const hypotheses = pool.map((sequence) => this._hypothesis(sequence));
    const recorded = finalSteps(this.steps, hypotheses, this.expanded, stop, this.strategy);
    const count = recorded.reduce((sum, { nodes }) => sum + nodes.length, 0);
    /** @type {Exploration} */
    const exploration = { expanded, recorded: count, seen: this.seen, stop, budget: this.strategy.budget };
    return { steps: recorded, hypotheses, exploration };
  }

  /** The node of a recorded candidate. @type {(stepNumber: number, rank: number) => number} */
  _node(stepNumber, rank) {
    return /** @type {number} */ (this.nodes.get(stepNumber)?.get(rank));
  }

  /** @param {SearchStep} step @returns {ObservedStep} */
  _observe(step) {
    const rowNodes = this._rowNodes(step);
    for (const node of rowNodes) this.expanded.add(node);
    const ranks = this._recordedRanks(step);
    this.nodes.set(step.number, new Map(ranks.map((rank, i) => [rank, this.nextId + i])));
    const numbers = this._numbers(step, rowNodes.length);
    const nodes = ranks.map((rank, i) => this._beamNode(step, rank, this.nextId + i, rowNodes, numbers));
    this.nextId += ranks.length;
    return { index: step.beam.length, rows: this._rows(step, rowNodes, numbers), nodes };
  }

  /**
   * The nodes that the live rows end in; null, the empty prefix, at the first step.
   * @type {(step: SearchStep) => (number | null)[]}
   */
  _rowNodes({ beam }) {
    if (!beam.ranks) return beam.tokens.map(() => null);
    return beam.ranks.map((rank) => (rank === PADDING ? PADDING : this._node(beam.origin, rank)));
  }

  /**
   * The rows of a step, one for each node.
   * @type {(step: SearchStep, rowNodes: (number | null)[], numbers: RowNumbers[]) => DecodedRow[]}
   */
  _rows(step, rowNodes, numbers) {
    const vocabSize = step.logProbs.length / rowNodes.length;
    /** @type {Map<number | null, DecodedRow>} */
    const rows = new Map();
    for (const [row, node] of rowNodes.entries()) {
      if (node === PADDING || rows.has(node)) continue; // all samples begin with the empty prefix: one row
      const logProbs = step.logProbs.subarray(row * vocabSize, (row + 1) * vocabSize);
      const top = rankedTopK(logProbs, MIN_ROW_TOP)
        .filter((id) => logProbs[id] > NEG_INF)
        .map((id) => ({ token_id: id, token: this.tokenizer.token(id), log_prob: roundDecimals(logProbs[id]) }));
      let entropy = 0;
      for (let i = 0; i < vocabSize; i++) entropy -= Math.exp(logProbs[i]) * Math.max(logProbs[i], MIN_LOG_PROB);
      const adjusted = this._adjusted(top, numbers[row]);
      const attention = this._attention(step, row);
      rows.set(node, { node, top, entropy: roundDecimals(entropy), attention, ...adjusted });
    }
    return [...rows.values()];
  }

  /**
   * The distribution that the strategy chose by, where it is not the model's own.
   * @param {NextToken[]} top
   * @param {RowNumbers} numbers
   */
  _adjusted(top, numbers) {
    const allowed = top.map(({ token_id: id }) => roundDecimals(numbers.processed[id]));
    const chances = top.map(({ token_id: id }) => roundDecimals(chanceOf(numbers, id)));
    return {
      ...(top.some(({ log_prob: own }, i) => own !== allowed[i]) && { allowed }),
      ...(top.some(({ log_prob: own }, i) => !isOwn(chances[i], own)) && { chances }),
    };
  }

  /**
   * The numbers of each row of a step after the constraints, and the probabilities that the strategy drew by.
   * @type {(step: SearchStep, rows: number) => RowNumbers[]}
   */
  _numbers(step, rows) {
    const size = step.processed.length / rows;
    return Array.from({ length: rows }, (_, row) => {
      const processed = step.processed.subarray(row * size, (row + 1) * size);
      return { processed, drawn: this.strategy.chances(processed) };
    });
  }

  /**
   * The attention of a row as nested lists, L x H x S.
   * @type {(step: SearchStep, row: number) => number[][][] | null}
   */
  _attention({ attention }, row) {
    if (!attention || !this.attentionShape) return null;
    const [layers, heads, length] = this.attentionShape;
    return Array.from({ length: layers }, (_, layer) =>
      Array.from({ length: heads }, (_, head) => {
        const start = ((row * layers + layer) * heads + head) * length;
        return Array.from(attention.subarray(start, start + length), roundDecimals);
      }),
    );
  }

  /**
   * @type {(step: SearchStep, rank: number, id: number, rowNodes: (number | null)[], numbers: RowNumbers[]) =>
   *   BeamNode}
   */
  _beamNode(step, rank, id, rowNodes, numbers) {
    const { rankScores, cumulative, parents, tokens } = step.outcome;
    const vocabSize = step.logProbs.length / rowNodes.length;
    const row = step.logProbs.subarray(parents[rank] * vocabSize, (parents[rank] + 1) * vocabSize);
    const logProb = row[tokens[rank]];
    const chance = chanceOf(numbers[parents[rank]], tokens[rank]);
    let tokenRank = 0;
    for (let i = 0; i < vocabSize; i++) if (row[i] > logProb) tokenRank++;
    const perGroup = Math.max(Math.floor(tokens.length / this.strategy.numGroups), 1);
    const { status, reason } = this._status(step, rank);
    return {
      id,
      parent: rowNodes[parents[rank]],
      step: step.beam.length,
      token_id: tokens[rank],
      token: this.tokenizer.token(tokens[rank]),
      log_prob: roundDecimals(logProb),
      cumulative: roundDecimals(cumulative[rank]),
      score: roundDecimals(cumulative[rank] / this.strategy.normalizer.penalty(step.beam.length + 1)),
      rank: rank % perGroup,
      token_rank: tokenRank,
      status,
      reason,
      order: rankScores[rank] === cumulative[rank] ? null : roundDecimals(rankScores[rank]),
      group: Math.floor(rank / perGroup),
      ...(!isOwn(chance, logProb) && { chance: roundDecimals(chance) }),
    };
  }

  /** The ranks of the candidates to record, ascending. @param {SearchStep} step */
  _recordedRanks(step) {
    const { outcome } = step;
    const { depthFirst, width } = this.strategy;
    // A depth-first search finishes many sequences; only those that its pool holds for now are recorded.
    const pooled = step.pool.sequences.filter(({ stepNumber }) => stepNumber === step.number).map(({ rank }) => rank);
    const always = new Set([...outcome.survivors, ...(depthFirst ? pooled : outcome.finished)]);
    let others = depthFirst ? MAX_DROPPED : outcome.tokens.length;
    if (step.candidates.banks) {
      // Required words add candidates, few of which matter.
      for (const [rank, reason] of (outcome.reasons ?? []).entries())
        if (WORD_REASONS.has(reason ?? "")) always.add(rank);
      others = Math.min(others, width);
    }
    const possible = [...outcome.rankScores.keys()].filter((rank) => outcome.rankScores[rank] !== NEG_INF);
    this.seen += possible.length;
    return possible.filter((rank) => always.has(rank) || others-- > 0);
  }

  /** @param {SearchStep} step @param {number} rank @returns {{ status: string, reason: string }} */
  _status(step, rank) {
    const { outcome } = step;
    const { rowsCompete, bounded } = this.strategy;
    const ends = outcome.tokens[rank] === EOS_ID;
    const reason = outcome.reasons?.[rank] ?? null;
    if (outcome.survivors.includes(rank)) {
      if (step.candidates.banks && reason && WORD_REASONS.has(reason)) return { status: "kept", reason: "for_words" };
      if (step.isForced) return { status: "kept", reason: "forced" };
      return { status: "kept", reason: rowsCompete ? "within_beam" : "chosen" };
    }
    if (outcome.finished.includes(rank)) return { status: "finished", reason: ends ? "end_token" : "max_length" };
    if (outcome.stopped.includes(rank))
      return { status: "pruned", reason: rowsCompete ? "early_stop" : "ranked_below" };
    if (reason) return { status: "pruned", reason };
    if (bounded) return { status: "pruned", reason: "bound" };
    return { status: "pruned", reason: ends ? "end_outside_beam" : "ranked_below" };
  }

  /** @param {FinishedSequence} sequence @returns {Hypothesis} */
  _hypothesis({ tokens, logProb, rankScore, score, ended, stepNumber, rank, group }) {
    return {
      node: this._node(stepNumber, rank),
      token_ids: tokens,
      text: this.tokenizer.decode(tokens),
      log_prob: roundDecimals(logProb),
      score: roundDecimals(score),
      ended,
      order: rankScore === logProb ? null : roundDecimals(rankScore),
      group,
      utility: null,
    };
  }
}
