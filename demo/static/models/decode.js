// The entry point: decode a text into a trace, the same JSON as the library writes.

import { attentionOverrides, buildWords, checkForced, checkMaxLength, checkSource } from "./conditions.js";
import { Recorder } from "./record/recorder.js";
import { search } from "./search/loop.js";
import { noRepeatNgram, repetitionPenalty } from "./search/processors.js";
import { Generator } from "./search/random.js";
import { buildStrategy } from "./strategies/table.js";
import { PAD_ID } from "./tokenization/segmentation.js";

/** @import { AttentionOverride } from "./conditions.js" */
/** @import { Network } from "./networks/network.js" */
/** @import { OnStep } from "./record/recorder.js" */
/** @import { SearchConditions } from "./search/loop.js" */
/** @import { Strategy } from "./search/strategy.js" */
/** @import { Options } from "./strategies/table.js" */
/** @import { Encoding, Tokenizer } from "./tokenization/tokenizer.js" */
/** @typedef {{ network: Network, tokenizer: Tokenizer }} Checkpoint */
/** @typedef {{ forced?: number[], overrides?: AttentionOverride[], language?: string }} Intervention */

const SCHEMA_VERSION = 2;
const DRAWS = new Set(["sampling", "stochastic", "mbr"]); // strategies whose outputs are drawn
const DEFAULT_CONSTRAINTS = {
  min_length: 0,
  no_repeat_ngram_size: 0,
  repetition_penalty: 1,
  banned: "",
  must_contain: "",
};

/**
 * Decode one text. Throws an Error if the text or the options do not fit the network.
 * @param {Checkpoint} checkpoint
 * @param {string} text
 * @param {Options} options
 * @param {Intervention} intervention
 * @param {OnStep} [onStep]
 */
export async function decode(checkpoint, text, options, intervention, onStep = () => null) {
  const { network, tokenizer } = checkpoint;
  const { forced = [], overrides = [], language = "" } = intervention;
  const encoding = await checkSource(checkpoint, text);
  checkMaxLength(network, options.max_length);
  checkForced(forced, network, options.max_length);
  const strategy = buildStrategy(options, language);
  strategy.check(network.vocabSize, options.max_length - forced.length);
  const words = buildWords(tokenizer, strategy, options);
  const conditions = {
    maxLength: options.max_length,
    minLength: options.min_length,
    banned: [PAD_ID, ...tokenizer.bannedIds(options.banned)],
    processors: buildProcessors(options),
    forced,
    attentionOverrides: attentionOverrides(overrides, network, encoding.tokens.length, options.max_length),
    words,
  };
  const recording = await record(checkpoint, encoding, strategy, conditions, options, onStep);
  const { hypotheses, utilities } = strategy.rerank(recording.hypotheses);
  if (words) for (const hypothesis of hypotheses) hypothesis.written = words.wordEnds(hypothesis.token_ids);
  return {
    checkpoint: "",
    source_text: encoding.text,
    source: encoding.tokens,
    strategy: strategy.name,
    settings: { ...strategy.settings, ...recordedSettings(options, strategy) },
    steps: recording.steps,
    hypotheses,
    forced,
    opening: 0,
    overrides,
    exploration: recording.exploration,
    utilities,
    ...(words ? { words: words.typed, free: /** @type {object | null} */ (null) } : {}),
    schema_version: SCHEMA_VERSION,
  };
}

/**
 * Decode as `decode` does. If words are required, search again without them, and add the best output.
 * @type {typeof decode}
 */
export async function decodeWithAndWithoutWords(checkpoint, text, options, ...others) {
  const trace = await decode(checkpoint, text, options, ...others);
  const isOver = trace.exploration.stop === "complete";
  if (!trace.words || !trace.hypotheses.length || DRAWS.has(trace.strategy) || !isOver) return trace;
  const other = await decode(checkpoint, text, { ...options, must_contain: "" }, ...others);
  if (!other.hypotheses.length || other.exploration.stop !== "complete") return trace;
  const { text: written, token_ids, log_prob, score } = other.hypotheses[0];
  return { ...trace, free: { text: written, token_ids, log_prob, score } };
}

/**
 * Record a search; a strategy may search again with the rest of its budget.
 * @param {Checkpoint} checkpoint
 * @param {Encoding} encoding
 * @param {Strategy} strategy
 * @param {SearchConditions} conditions
 * @param {Options} options
 * @param {OnStep} onStep
 */
async function record({ network, tokenizer }, encoding, strategy, conditions, options, onStep) {
  const start = network.initialState(encoding.ids);
  const steps = (/** @type {Strategy} */ other) =>
    search(network, start, other, conditions, new Generator(options.seed));
  const mayEndAnywhere =
    !conditions.processors.length && !options.banned.trim() && !options.min_length && !conditions.words;
  let current = strategy.prepare(steps, mayEndAnywhere);
  /** @type {[number, number, number] | null} */
  const shape = network.attentionShape && [...network.attentionShape, encoding.tokens.length];
  for (let spent = 0; ; ) {
    const recording = await new Recorder(tokenizer, current, shape).record(steps(current), onStep);
    const { exploration, hypotheses } = recording;
    spent += exploration.expanded;
    const retry =
      exploration.stop === "budget" && hypotheses.length
        ? current.retry(hypotheses[0], (current.budget ?? 0) - exploration.expanded)
        : null;
    if (!retry) return { ...recording, exploration: { ...exploration, expanded: spent, budget: strategy.budget } };
    current = retry;
  }
}

/** The constraints that change the distribution. @param {Options} options */
function buildProcessors(options) {
  const processors = [];
  if (options.repetition_penalty !== 1) processors.push(repetitionPenalty(options.repetition_penalty));
  if (options.no_repeat_ngram_size) processors.push(noRepeatNgram(options.no_repeat_ngram_size));
  return processors;
}

/** The settings of every decoding, as a trace records them. @param {Options} options @param {Strategy} strategy */
function recordedSettings(options, { normalizer }) {
  const { kind, alpha } = normalizer;
  const { max_length, seed } = options;
  const constraints = Object.entries(DEFAULT_CONSTRAINTS)
    .map(([name, usual]) => ({ name, usual, value: options[/** @type {keyof Options} */ (name)] }))
    .filter(({ usual, value }) => value !== usual)
    .map(({ name, value }) => [name, value]);
  return { normalizer: kind, length_penalty: alpha, max_length, seed, ...Object.fromEntries(constraints) };
}
