// The search loop of models/decoding/search/loop.py, for one sentence. It works with any `Network`.

import { UnrolledError } from "../errors.js";
import { BOS_ID, EOS_ID } from "../tokenization/segmentation.js";
import { NEG_INF, numPrefixes, Pool } from "./beam.js";
import { DepthFirst, Lockstep } from "./frontier.js";
import { OutcomeRule } from "./outcome.js";
import { forcedOnly, logSoftmax } from "./processors.js";
import { WordProgress } from "./words.js";

/** @import { DecoderState, Network } from "../networks/network.js" */
/** @import { Beam, Candidates } from "./beam.js" */
/** @import { LiveRows } from "./frontier.js" */
/** @import { StepOutcome } from "./outcome.js" */
/** @import { LogitsProcessor } from "./processors.js" */
/** @import { Strategy } from "./strategy.js" */
/** @import { RequiredWords } from "./words.js" */

/**
 * The conditions that a search must respect.
 * @typedef {object} SearchConditions
 * @property {number} maxLength  tokens generated, the end token included
 * @property {number} minLength  least number of tokens before the end token
 * @property {readonly number[]} banned  ids that are never written
 * @property {LogitsProcessor[]} processors  they change the distribution of the next token
 * @property {readonly number[]} forced  the first tokens, whatever the model predicts
 * @property {Map<number, Float32Array>} attentionOverrides  cross-attention by step that replaces the model's, L * H * S;
 *   NaN leaves the model's own
 * @property {RequiredWords | null} words
 */

/**
 * The record of one step.
 * @typedef {object} SearchStep
 * @property {number} number  the step's number in the search, from 0
 * @property {Beam} beam  K rows, before the step
 * @property {Float32Array} logProbs  K * V, the model's own
 * @property {Float32Array} processed  K * V, after the constraints
 * @property {Float32Array | null} attention  K * L * H * S
 * @property {Candidates} candidates
 * @property {StepOutcome} outcome
 * @property {Pool} pool
 * @property {number} expanded  prefixes that the search has expanded so far
 * @property {boolean} gaveUp  the search ends here without proof that no other output could have won
 * @property {boolean} isForced  whether this step had to take a given token
 */

/**
 * Decode one source, and yield each step when it is done.
 *
 * A row holds one prefix, the tokens of an unfinished output. Several rows may hold the same prefix; padding rows hold
 * none. At each step the network predicts the next token of each row, and the strategy ranks the candidates, each a
 * prefix plus one token. A rule decides which candidates go on, which are finished and which are dropped, and the
 * frontier chooses the rows to extend next.
 * @param {Network} network
 * @param {DecoderState} start  the state of one row before its first step
 * @param {Strategy} strategy
 * @param {SearchConditions} conditions
 * @param {import("./random.js").Generator} rng
 * @returns {Generator<SearchStep, void, undefined>}
 */
export function* search(network, start, strategy, conditions, rng) {
  const pool = new Pool(strategy.poolSize, strategy.numGroups);
  const frontier = strategy.depthFirst ? new DepthFirst(strategy, pool) : new Lockstep();
  const rule = new OutcomeRule(strategy, conditions);
  /** @type {LiveRows | null} */
  let rows = firstRows(start, strategy);
  let [expanded, bestOmitted, gaveUp] = [0, NEG_INF, false];
  for (let number = 0; rows && !gaveUp; number++) {
    const { beam } = rows;
    const override = conditions.attentionOverrides.get(beam.length);
    const { logits, attention, state } = network.step(rows.lastTokens, rows.state, override);
    const { cumulative, ...expansion } = expand(beam, logits, strategy, conditions, rng);
    const outcome = rule.decide(expansion.candidates, cumulative, beam, pool, number);
    expanded += numPrefixes(beam);
    bestOmitted = Math.max(bestOmitted, expansion.candidates.bestOmitted ?? NEG_INF);
    const step = { number, beam, ...expansion, attention, outcome, pool, expanded, gaveUp };
    frontier.push(step, state);
    rows = frontier.pop();
    // A candidate that the strategy never returned, because of its limit on candidates, could have won if it beats
    // the worst finished sequence, the only one that a bounded search keeps.
    if (!rows) gaveUp = strategy.bounded && bestOmitted > pool.groups[0].worst;
    else gaveUp = strategy.budget !== null && expanded >= strategy.budget;
    yield { ...step, gaveUp };
  }
}

/** The empty prefix, `numStarts` times. @type {(start: DecoderState, strategy: Strategy) => LiveRows} */
function firstRows(start, { numStarts }) {
  const zeros = () => Array(numStarts).fill(0);
  /** @type {Beam} */
  const beam = {
    tokens: Array.from({ length: numStarts }, () => []),
    cumulative: zeros(),
    rankScores: zeros(),
    tempered: null,
    length: 0,
    origin: -1,
    ranks: null,
    words: null,
  };
  return { beam, state: start.reorder(zeros()), lastTokens: Array(numStarts).fill(BOS_ID) };
}

/**
 * Apply the constraints to the model's distribution, and let the strategy rank: the log-probabilities (K * V) before and
 * after the constraints, the candidates, and the model's own cumulative log-probability of each candidate (C).
 * @param {Beam} beam
 * @param {Float32Array} logits  K * V
 * @param {Strategy} strategy
 * @param {SearchConditions} conditions
 * @param {import("./random.js").Generator} rng
 */
function expand(beam, logits, strategy, conditions, rng) {
  const vocabSize = logits.length / beam.tokens.length;
  const logProbs = logSoftmax(logits, vocabSize);
  if (Number.isNaN(logProbs[0]))
    throw new UnrolledError(
      "scores_are_no_numbers",
      "The network's scores are no longer numbers: its weights, or the replaced attention, are too " +
        "large. Choose another checkpoint.",
    );
  const { words: required, forced, maxLength } = conditions;
  const words = required && new WordProgress(required, maxLength, beam.tokens);
  const isForced = beam.length < forced.length;
  const processed = isForced
    ? forcedOnly(logProbs, forced[beam.length], vocabSize)
    : applyConstraints(logProbs, beam, vocabSize, conditions);
  const ranked = strategy.expand(processed, { ...beam, words }, rng);
  const candidates = strategy.applyThreshold(words ? words.withBanks(ranked) : ranked);
  const cumulative = candidates.tokens.map((token, i) => {
    const parent = candidates.parents[i];
    return Math.fround(beam.cumulative[parent] + logProbs[parent * vocabSize + token]);
  });
  return { logProbs, processed, candidates, cumulative, isForced };
}

/**
 * The distribution that the strategy sees.
 * @type {(logProbs: Float32Array, beam: Beam, vocabSize: number, conditions: SearchConditions) => Float32Array}
 */
function applyConstraints(logProbs, beam, vocabSize, { processors, banned, minLength }) {
  const never = beam.length < minLength ? [...banned, EOS_ID] : banned;
  const result = processors.reduce((values, process) => process(values, beam), logProbs).slice();
  for (let start = 0; start < result.length; start += vocabSize)
    for (const token of never) result[start + token] = NEG_INF;
  return result;
}
