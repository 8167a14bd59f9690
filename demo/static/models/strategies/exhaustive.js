// Exhaustive search over all possible outputs. For tiny spaces only.

import { UnrolledError } from "../errors.js";
import { expansions, NEG_INF, rankedTopK, rankScoresOf } from "../search/beam.js";
import { allAbove, LengthNormalizer, Strategy } from "../search/strategy.js";

const MAX_LEAVES = 200_000;

export class ExhaustiveSearch extends Strategy {
  name = "exhaustive";
  width = 64;
  depthFirst = true;

  /** @param {import("./table.js").Options} options */
  constructor(options) {
    super();
    this.numBest = options.beam_size;
    this.normalizer = new LengthNormalizer(options.normalizer, options.length_penalty);
    this.settings = { num_best: options.beam_size };
  }

  get poolSize() {
    return this.numBest;
  }

  /** @param {number} vocabSize @param {number} steps */
  check(vocabSize, steps) {
    let leaves = 0;
    for (let length = 0; length <= steps; length++) leaves += (vocabSize - 1) ** length;
    if (leaves > MAX_LEAVES) {
      const digits = Math.log10(vocabSize - 1) * steps; // `leaves` may be infinite
      const power = `${(10 ** (digits % 1)).toFixed(1)} × 10^${Math.floor(digits)}`;
      const size = leaves < 1e12 ? leaves.toLocaleString("en") : power;
      throw new UnrolledError(
        "too_many_sequences",
        "With {tokens} tokens and up to {steps} steps there are {size} sequences; exhaustive search " +
          "scores no more than {limit}. Lower the maximum length, force a longer prefix, or use exact " +
          "search, which skips what cannot win.",
        { tokens: vocabSize.toLocaleString("en"), steps, size, limit: MAX_LEAVES.toLocaleString("en") },
      );
    }
  }

  /** @param {Float32Array} logProbs @param {import("../search/beam.js").Beam} beam */
  expand(logProbs, beam) {
    const vocabSize = logProbs.length / beam.tokens.length;
    const rankScores = rankScoresOf(beam, logProbs);
    const flat = rankedTopK(rankScores, rankScores.length).filter((index) => rankScores[index] > NEG_INF);
    return expansions({ best: flat.map((index) => rankScores[index]), flat }, vocabSize);
  }

  /** @param {import("../search/strategy.js").Ranking} ranking */
  select(ranking) {
    return allAbove(ranking, NEG_INF);
  }
}
