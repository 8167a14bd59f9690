// The limits of a decoding: the size of a text and of its output.

import { UnrolledError } from "./errors.js";

/** @typedef {import("./networks/network.js").Network} Network */

const MAX_SOURCE_TOKENS = 512;
export const MAX_OUTPUT_TOKENS = 256;

/**
 * Tokenize a text. Throws an UnrolledError if it is empty or too long.
 *
 * @param {Network} network
 * @param {import("./tokenizer.js").Tokenizer} tokenizer
 * @param {string} text
 */
export async function checkSource(network, tokenizer, text) {
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

/** @param {Network} network @param {readonly number[]} tokenIds */
export function checkTokens({ vocabSize }, tokenIds) {
  for (const token of tokenIds)
    if (!(token >= 0 && token < vocabSize))
      throw new UnrolledError("no_such_token", "There is no token {token}: the vocabulary has ids 0 to {last}.", {
        token,
        last: (vocabSize - 1).toLocaleString("en"),
      });
}

/** Throws an UnrolledError unless 1 <= maxLength <= what the network can write. @param {Network} network @param {number} maxLength */
export function checkMaxLength({ maxPositions }, maxLength) {
  const limit = Math.min(MAX_OUTPUT_TOKENS, maxPositions ?? MAX_OUTPUT_TOKENS);
  if (!(maxLength >= 1 && maxLength <= limit))
    throw new UnrolledError("max_length_out_of_range", "{name} must be between 1 and {limit} tokens; got {value}.", {
      name: "max_length",
      limit,
      value: maxLength,
    });
}
