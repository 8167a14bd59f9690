// Given texts as a network scores them, as models/decoding/judge/rescore.py does, and as metrics score them.

import { checkSource, outputLimit } from "./conditions.js";
import { UnrolledError } from "./errors.js";
import { logSoftmax } from "./search/processors.js";
import { plainText } from "./tokenization/plain_text.js";
import { BOS_ID, UNK_ID } from "./tokenization/segmentation.js";
import { signature, utilities } from "./utility.js";

/** @import { Checkpoint } from "./decode.js" */
/** @import { Tokenizer } from "./tokenization/tokenizer.js" */

/**
 * One token of a given text, scored by the network after all tokens before it.
 * @typedef {object} ScoredToken
 * @property {number} id
 * @property {string} surface
 * @property {number} log_prob  nats
 * @property {number} rank  0 for the first choice; of equally likely tokens the lower id is first
 * @property {boolean} unknown  the vocabulary lacks this part of the text
 * @property {number} entropy  of the whole next-token distribution, in nats
 * @property {[id: number, surface: string, logProb: number] | null} alternative  the most likely other token
 */
/** @typedef {{ text: string, tokens: ScoredToken[], unknown?: string[] }} ScoredText */

/**
 * The reference of a comparison as the network scores it. Throws an UnrolledError if it cannot be an output.
 * @type {(checkpoint: Checkpoint, text: string, reference: string) => Promise<ScoredText>}
 */
export async function scoredReference(checkpoint, text, reference) {
  try {
    return await rescore(checkpoint, text, reference);
  } catch (error) {
    if (!(error instanceof UnrolledError)) throw error;
    throw new UnrolledError("reference_cannot_be_scored", "The reference cannot be scored. {error}", { error });
  }
}

/**
 * An output that the search missed, as the network scores it; null without one.
 * @type {(checkpoint: Checkpoint, text: string, ids: number[]) => Promise<ScoredText | null>}
 */
export async function betterOutput(checkpoint, text, ids) {
  if (!ids.length) return null;
  const source = await checkSource(checkpoint, text);
  return { text: checkpoint.tokenizer.decode(ids), tokens: rescoreIds(checkpoint, source.ids, ids) };
}

/** The scores of texts by a metric, and its signature. @type {(texts: string[], reference: string, metric: string) => object} */
export function scoresOf(texts, reference, metric) {
  const all = [...texts, reference];
  const values = utilities(all, reference, metric);
  return { signature: signature(metric, ""), values: Object.fromEntries(all.map((text, i) => [text, values[i]])) };
}

/**
 * Score a text as an output for a source. Throws an UnrolledError if the network cannot read or write them.
 * @type {(checkpoint: Checkpoint, source: string, target: string) => Promise<ScoredText>}
 */
async function rescore(checkpoint, source, target) {
  const { ids } = await checkSource(checkpoint, source);
  if (!plainText(target).characters.length)
    throw new UnrolledError("no_text_to_score", "There is no text to score. Type a translation first.");
  const { text, ids: targetIds, unknown } = checkpoint.tokenizer.encodeTarget(target);
  return { text, tokens: rescoreIds(checkpoint, ids, Array.from(targetIds)), unknown };
}

/**
 * Score each of T tokens, given the source and the tokens before it.
 * @type {(checkpoint: Checkpoint, sourceIds: ArrayLike<number>, ids: readonly number[]) => ScoredToken[]}
 */
function rescoreIds({ network, tokenizer }, sourceIds, ids) {
  const limit = outputLimit(network);
  if (ids.length > limit)
    throw new UnrolledError(
      "text_to_score_too_long",
      "The text to score has {count} tokens; this model writes at most {limit}. Shorten it.",
      { count: ids.length.toLocaleString("en"), limit },
    );
  let state = network.initialState(sourceIds);
  return ids.map((id, index) => {
    const predicted = network.step([index ? ids[index - 1] : BOS_ID], state);
    state = predicted.state;
    return scoreToken(logSoftmax(predicted.logits, network.vocabSize), id, tokenizer);
  });
}

/** From log-probabilities (V). @type {(logProbs: Float32Array, id: number, tokenizer: Tokenizer) => ScoredToken} */
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
    unknown: id === UNK_ID,
    entropy,
    alternative: other < 0 ? null : [other, tokenizer.token(other), logProbs[other]],
  };
}
