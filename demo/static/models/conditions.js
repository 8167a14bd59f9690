// The conditions of one decoding: its limits, forced tokens, replaced attention and required words.

import { UnrolledError } from "./errors.js";
import { RequiredWords } from "./search/words.js";
import { EOS_ID, PAD_ID } from "./tokenization/segmentation.js";

/** @import { Network } from "./networks/network.js" */
/** @import { Strategy } from "./search/strategy.js" */
/** @import { Options } from "./strategies/table.js" */
/** @import { Tokenizer } from "./tokenization/tokenizer.js" */
/** @typedef {{ step: number, weights: number[], layer: number | null, head: number | null }} AttentionOverride */

const MAX_SOURCE_TOKENS = 512;
const MAX_OUTPUT_TOKENS = 256;
const MAX_SUM_ERROR = 1e-3; // the sum of an attention row may differ from 1 by this much

/**
 * Tokenize a text. Throws an UnrolledError if it is empty or too long.
 * @param {import("./decode.js").Checkpoint} checkpoint
 * @param {string} text
 */
export async function checkSource({ network, tokenizer }, text) {
  const encoding = await tokenizer.encode(text);
  const limit = Math.min(MAX_SOURCE_TOKENS, network.maxPositions ?? MAX_SOURCE_TOKENS);
  if (encoding.tokens.length > limit)
    throw new UnrolledError(
      "text_too_long",
      "The text has {count} tokens; this model reads at most {limit}. Shorten it.",
      { count: encoding.tokens.length.toLocaleString("en"), limit },
    );
  return encoding;
}

/** The number of tokens that the network can write. @param {Network} network */
export const outputLimit = ({ maxPositions }) => Math.min(MAX_OUTPUT_TOKENS, maxPositions ?? MAX_OUTPUT_TOKENS);

/** Throws an UnrolledError unless 1 <= maxLength <= what the network can write. @param {Network} network @param {number} maxLength */
export function checkMaxLength(network, maxLength) {
  const limit = outputLimit(network);
  if (!(maxLength >= 1 && maxLength <= limit))
    throw new UnrolledError("max_length_out_of_range", "{name} must be between 1 and {limit} tokens; got {value}.", {
      name: "max_length",
      limit,
      value: maxLength,
    });
}

/**
 * Throw an UnrolledError unless these tokens can begin an output.
 * @type {(forced: readonly number[], network: Network, maxLength: number) => void}
 */
export function checkForced(forced, { vocabSize }, maxLength) {
  const unknown = forced.find((token) => !(token >= 0 && token < vocabSize));
  if (unknown !== undefined)
    throw new UnrolledError("no_such_token", "There is no token {token}: the vocabulary has ids 0 to {last}.", {
      token: unknown,
      last: (vocabSize - 1).toLocaleString("en"),
    });
  if (forced.slice(0, -1).includes(EOS_ID))
    throw new UnrolledError("forced_after_end", "The forced tokens go on after the end token. Drop what follows it.");
  if (forced.length > maxLength)
    throw new UnrolledError(
      "too_many_forced",
      "{count} tokens are forced, but the output may have {limit}. Raise the maximum length.",
      { count: forced.length, limit: maxLength },
    );
}

/**
 * The weights (L * H * S) of each step whose attention is replaced, for S = `length`; NaN leaves the model's own.
 * @type {(overrides: AttentionOverride[], network: Network, length: number, maxLength: number) =>
 *   Map<number, Float32Array>}
 */
export function attentionOverrides(overrides, { attentionShape: shape }, length, maxLength) {
  /** @type {Map<number, Float32Array>} */
  const weightsByStep = new Map();
  if (overrides.length && !shape)
    throw new UnrolledError(
      "no_attention_to_replace",
      "This model has no attention to replace. Choose another checkpoint.",
    );
  const [layers, heads] = shape ?? [0, 0];
  for (const override of overrides) {
    check(override, [layers, heads], length, maxLength);
    const { step, weights, layer, head } = override;
    const all = weightsByStep.get(step) ?? new Float32Array(layers * heads * length).fill(Number.NaN);
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    for (let i = 0; i < all.length; i++) {
      const [ofLayer, ofHead] = [Math.floor(i / (heads * length)), Math.floor(i / length) % heads];
      if ((layer ?? ofLayer) === ofLayer && (head ?? ofHead) === ofHead) all[i] = weights[i % length] / total;
    }
    weightsByStep.set(step, all);
  }
  return weightsByStep;
}

/** @type {(override: AttentionOverride, shape: [number, number], length: number, maxLength: number) => void} */
function check({ step, weights, layer, head }, [layers, heads], length, maxLength) {
  if (weights.length !== length)
    throw new UnrolledError(
      "attention_row_length",
      "An attention row needs one weight for each of the {count} source tokens; got {given}.",
      { count: length, given: weights.length },
    );
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (Math.abs(total - 1) > MAX_SUM_ERROR)
    throw new UnrolledError("attention_sum", "Attention weights must sum to 1; these sum to {total}. Rescale them.", {
      total: total.toFixed(3),
    });
  if (!(step >= 0 && step < maxLength))
    throw new UnrolledError("no_such_step", "There is no step {step}: the output has at most {limit} tokens.", {
      step: step + 1,
      limit: maxLength,
    });
  if ((layer ?? 0) < layers && (head ?? 0) < heads) return;
  const isLayer = (layer ?? 0) >= layers;
  throw new UnrolledError(
    "no_such_part_of_attention",
    "This model's attention has {count} {parts}; there is no number {number}.",
    {
      count: isLayer ? layers : heads,
      parts: isLayer ? new UnrolledError("layers", "layers") : new UnrolledError("heads", "heads"),
      number: ((isLayer ? layer : head) ?? 0) + 1,
    },
  );
}

/**
 * The required words, or null if there are none. Throws an UnrolledError if no output can contain them.
 * @type {(tokenizer: Tokenizer, strategy: Strategy, options: Options) => RequiredWords | null}
 */
export function buildWords(tokenizer, strategy, { must_contain: text, banned, max_length: limit }) {
  const phrases = tokenizer.requiredPhrases(text);
  if (!phrases.length) return null;
  if (!strategy.allowsRequiredWords)
    throw new UnrolledError(
      "words_need_hypotheses",
      "Required words work only where several hypotheses compete. Choose a beam search with at " +
        "least 2 hypotheses in each group, or an exact search.",
    );
  const forbidden = [PAD_ID, ...tokenizer.bannedIds(banned)];
  for (const { text: phrase, token_ids: ids } of phrases) {
    const token = ids.find((id) => forbidden.includes(id));
    if (token !== undefined)
      throw new UnrolledError(
        "required_and_banned",
        "“{phrase}” is required, but its token “{token}” is banned. Remove it from one of the two lists.",
        { phrase, token: tokenizer.token(token) },
      );
  }
  const words = new RequiredWords(phrases);
  if (words.minTokensBound > limit)
    throw new UnrolledError(
      "required_words_too_long",
      "The required words take at least {count} tokens, but an output has at most {limit}. Raise " +
        "the maximum length, or ask for fewer words.",
      { count: words.minTokensBound, limit },
    );
  return words;
}
