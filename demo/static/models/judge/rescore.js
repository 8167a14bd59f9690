// The score of a given text, as models/decoding/judge/rescore.py computes it.

import { UnrolledError } from "../errors.js";
import { checkSource, MAX_OUTPUT_TOKENS } from "../limits.js";
import { plainText } from "../plain_text.js";
import { logSoftmax } from "../search/processors.js";

/** @typedef {import("../networks/network.js").Network} Network */
/** @typedef {import("../tokenizer.js").Tokenizer} Tokenizer */

/**
 * One token of a given text, scored by the network after all tokens before it.
 *
 * @typedef {object} ScoredToken
 * @property {number} id
 * @property {string} surface
 * @property {number} log_prob  nats
 * @property {number} rank  0 for the first choice; of equally likely tokens the lower id is first
 * @property {boolean} unknown  the vocabulary lacks this part of the text
 * @property {number} entropy  of the whole next-token distribution, in nats
 * @property {[id: number, surface: string, logProb: number] | null} alternative  the most likely other token
 */

/**
 * Score a text as an output for a source. Throws an UnrolledError if the network cannot read or write them.
 *
 * @param {Network} network
 * @param {Tokenizer} tokenizer
 * @param {string} source
 * @param {string} target
 */
export async function rescore(network, tokenizer, source, target) {
  const { ids } = await checkSource(network, tokenizer, source);
  if (!plainText(target).characters.length)
    throw new UnrolledError("no_text_to_score", "There is no text to score. Type a translation first.");
  const encoded = tokenizer.encodeTarget(target);
  const tokens = rescoreIds(network, tokenizer, ids, Array.from(encoded.ids));
  return { text: encoded.text, tokens, unknown: encoded.unknown };
}

/**
 * Score each of T tokens, given the source and the tokens before it.
 *
 * @param {Network} network
 * @param {Tokenizer} tokenizer
 * @param {ArrayLike<number>} sourceIds
 * @param {readonly number[]} ids
 */
export function rescoreIds(network, tokenizer, sourceIds, ids) {
  checkLength(network, ids.length);
  let state = network.initialState(sourceIds);
  return ids.map((id, index) => {
    const predicted = network.step([index ? ids[index - 1] : tokenizer.bosId], state);
    state = predicted.state;
    return scoreToken(logSoftmax(predicted.logits, network.vocabSize), id, tokenizer);
  });
}

/** @param {Network} network @param {number} count */
function checkLength({ maxPositions }, count) {
  const limit = Math.min(MAX_OUTPUT_TOKENS, maxPositions ?? MAX_OUTPUT_TOKENS);
  if (count <= limit) return;
  throw new UnrolledError(
    "text_to_score_too_long",
    "The text to score has {count} tokens; this model writes at most {limit}. Shorten it.",
    { count: count.toLocaleString("en"), limit },
  );
}

/**
 * @param {Float32Array} logProbs  V
 * @param {number} id
 * @param {Tokenizer} tokenizer
 * @returns {ScoredToken}
 */
function scoreToken(logProbs, id, tokenizer) {
  const logProb = logProbs[id];
  let [rank, entropy, other] = [0, 0, -1];
  for (const [token, value] of logProbs.entries()) {
    if (value > logProb || (value === logProb && token < id)) rank++;
    if (value > -Infinity) entropy -= Math.exp(value) * value;
    if (token !== id && value > (other < 0 ? -Infinity : logProbs[other])) other = token;
  }
  return {
    id,
    surface: tokenizer.token(id),
    log_prob: logProb,
    rank,
    unknown: id === tokenizer.unkId,
    entropy,
    alternative: other < 0 ? null : [other, tokenizer.token(other), logProbs[other]],
  };
}
