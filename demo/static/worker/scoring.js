// @ts-check
// Given texts as a network scores them, and as metrics score them against a reference.

import { UnrolledError } from "../models/errors.js";
import { rescore, rescoreIds } from "../models/judge/rescore.js";
import { checkSource } from "../models/limits.js";
import { signature, utilities } from "../models/utility.js";

/** @typedef {Pick<import("./computing.js").Checkpoint, "network" | "tokenizer">} Checkpoint */

/**
 * The reference of a comparison as the network scores it. Throws an UnrolledError if it cannot be an output.
 *
 * @param {Checkpoint} checkpoint
 * @param {string} text
 * @param {string} reference
 */
export async function scoredReference({ network, tokenizer }, text, reference) {
  try {
    return await rescore(network, tokenizer, text, reference);
  } catch (error) {
    if (!(error instanceof UnrolledError)) throw error;
    throw new UnrolledError("reference_cannot_be_scored", "The reference cannot be scored. {error}", { error });
  }
}

/**
 * An output that the search missed, as the network scores it; null without one.
 *
 * @param {Checkpoint} checkpoint
 * @param {string} text
 * @param {number[]} ids
 */
export async function betterOutput({ network, tokenizer }, text, ids) {
  if (!ids.length) return null;
  const source = await checkSource(network, tokenizer, text);
  return { text: tokenizer.decode(ids), tokens: rescoreIds(network, tokenizer, source.ids, ids) };
}

/** The scores of texts by a metric, and its signature. @type {(texts: string[], reference: string, metric: string) => object} */
export function scoresOf(texts, reference, metric) {
  const all = [...texts, reference];
  const values = utilities(all, reference, metric);
  return { signature: signature(metric, ""), values: Object.fromEntries(all.map((text, i) => [text, values[i]])) };
}
