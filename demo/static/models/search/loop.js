// The search loop of models/decoding/search/loop.py, for one sentence. It works with any `Network`.

import { NEG_INF, numPrefixes, Pool } from "./beam.js";
import { Expander } from "./expansion.js";
import { DepthFirst, Lockstep } from "./frontier.js";
import { OutcomeRule } from "./outcome.js";

/** @typedef {import("./beam.js").Beam} Beam */

/**
 * The conditions that a search must respect.
 *
 * @typedef {object} SearchConditions
 * @property {number} maxLength  tokens generated, the end token included
 * @property {number} minLength  least number of tokens before the end token
 * @property {number} bosId  the first step reads it; it is not part of the output
 * @property {number} eosId
 * @property {readonly number[]} banned  ids that are never written
 * @property {import("./processors.js").LogitsProcessor[]} processors  they change the distribution of the next token
 * @property {readonly number[]} forced  the first tokens, whatever the model predicts
 * @property {Map<number, Float32Array>} attentionOverrides  cross-attention by step that replaces the model's, L * H * S;
 *   NaN leaves the model's own
 * @property {import("./words.js").RequiredWords | null} words
 */

/**
 * The record of one step.
 *
 * @typedef {object} SearchStep
 * @property {number} number  the step's number in the search, from 0
 * @property {number} length  tokens of the rows before the step
 * @property {Beam} beam  K rows, before the step
 * @property {Float32Array} logProbs  K * V, the model's own
 * @property {Float32Array} processed  K * V, after the constraints
 * @property {Float32Array | null} attention  K * L * H * S
 * @property {import("./beam.js").Candidates} candidates
 * @property {import("./outcome.js").StepOutcome} outcome
 * @property {Pool} pool
 * @property {number} expanded  prefixes that the search has expanded so far
 * @property {boolean} gaveUp  the search ends here without proof that no other output could have won
 * @property {{ token: number, reason: string } | null} forced  the token that this step had to take
 */

/**
 * Decode one source, and yield each step when it is done.
 *
 * A row holds one prefix, the tokens of an unfinished output. Several rows may hold the same prefix; padding rows hold
 * none. At each step the network predicts the next token of each row, and the strategy ranks the candidates, each a
 * prefix plus one token. A rule decides which candidates go on, which are finished and which are dropped, and the
 * frontier chooses the rows to extend next.
 *
 * @param {import("../networks/network.js").Network} network
 * @param {import("../networks/network.js").DecoderState} start  the state of one row before its first step
 * @param {import("./strategy.js").Strategy} strategy
 * @param {SearchConditions} conditions
 * @param {import("./random.js").Generator} rng
 * @returns {Generator<SearchStep, void, undefined>}
 */
export function* search(network, start, strategy, conditions, rng) {
  const pool = new Pool(strategy.poolSize, strategy.numGroups);
  const frontier = strategy.depthFirst ? new DepthFirst(strategy, pool) : new Lockstep();
  const expander = new Expander(strategy, conditions, rng);
  /** @type {import("./frontier.js").LiveRows | null} */
  let rows = firstRows(start, strategy, conditions.bosId);
  let [expanded, bestOmitted, gaveUp] = [0, NEG_INF, false];
  for (let number = 0; rows && !gaveUp; number++) {
    const { beam } = rows;
    const override = conditions.attentionOverrides.get(beam.length);
    const predicted = network.step(rows.lastTokens, rows.state, override);
    const expansion = expander.expand(beam, predicted.logits);
    const { candidates, cumulative, logProbs, processed, forced } = expansion;
    const rule = new OutcomeRule(strategy, beam.length + 1, conditions);
    const outcome = rule.decide(candidates, cumulative, beam, pool, number);
    expanded += numPrefixes(beam);
    bestOmitted = Math.max(bestOmitted, candidates.bestOmitted ?? NEG_INF);
    const numbers = { logProbs, processed, attention: predicted.attention };
    const step = { number, length: beam.length, beam, candidates, outcome, pool, expanded, gaveUp, forced };
    const observed = { ...step, ...numbers };
    frontier.push(observed, predicted.state);
    rows = frontier.pop();
    // A candidate that the strategy never returned, because of its limit on candidates, could have won if it beats
    // the worst finished sequence, the only one that a bounded search keeps.
    if (!rows) gaveUp = strategy.bounded && bestOmitted > pool.groups[0].worst;
    else gaveUp = strategy.budget !== null && expanded >= strategy.budget;
    yield { ...observed, gaveUp };
  }
}

/**
 * The empty prefix, `numStarts` times.
 *
 * @param {import("../networks/network.js").DecoderState} start
 * @param {import("./strategy.js").Strategy} strategy
 * @param {number} bosId
 */
function firstRows(start, { numStarts }, bosId) {
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
  return { beam, state: start.reorder(zeros()), lastTokens: Array(numStarts).fill(bosId) };
}
