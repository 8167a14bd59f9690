// The strategies by name, as `models/decoding/strategies` has them.

import { BeamSearch, Greedy, ThresholdBeamSearch } from "./beam_search.js";
import { DiverseBeamSearch } from "./diverse.js";
import { ExactSearch, ExhaustiveSearch } from "./exact.js";
import { MinimumBayesRisk, Sampling } from "./sampling.js";
import { StochasticBeamSearch } from "./stochastic.js";

/**
 * The settings of a decoding, named as `DecodingOptions` of the library.
 * @typedef {{ strategy: string, beam_size: number, num_groups: number, diversity: number, threshold: number,
 *   length_penalty: number, normalizer: string, early_stopping: string, num_samples: number, temperature: number,
 *   top_k: number, top_p: number, min_p: number, utility: string, node_budget: number, seed: number,
 *   max_length: number, min_length: number, no_repeat_ngram_size: number, repetition_penalty: number,
 *   banned: string, must_contain: string }} Options
 */

const STRATEGIES = {
  greedy: Greedy,
  beam: BeamSearch,
  threshold: ThresholdBeamSearch,
  diverse: DiverseBeamSearch,
  exact: ExactSearch,
  exhaustive: ExhaustiveSearch,
  sampling: Sampling,
  stochastic: StochasticBeamSearch,
  mbr: MinimumBayesRisk,
};

/**
 * Return the strategy of the options. Throws an Error for a name that this page lacks.
 * @param {Options} options
 * @param {string} language  of the outputs (BCP 47), for strategies that compare them
 * @returns {import("../search/strategy.js").Strategy}
 */
export function buildStrategy(options, language) {
  const kind = STRATEGIES[/** @type {keyof STRATEGIES} */ (options.strategy)];
  if (!kind) throw new Error(`This page has no strategy “${options.strategy}”.`);
  return new /** @type {any} */ (kind)(options, language);
}
