// Beam search that drops what falls too far behind (Freitag and Al-Onaizan 2017).

import { NEG_INF } from "../search/beam.js";
import { bestOfBank } from "../search/words.js";
import { BeamSearch } from "./beam_search.js";

const ROUNDING = 1e-6;

export class ThresholdBeamSearch extends BeamSearch {
  name = "threshold";

  /** @param {import("./table.js").Options} options */
  constructor(options) {
    super(options);
    this.margin = Math.fround(Math.log(Math.fround(options.threshold)));
    this.settings = { ...this.settings, threshold: options.threshold };
  }

  /** @param {import("../search/beam.js").Candidates} candidates */
  applyThreshold(candidates) {
    const { rankScores, banks } = candidates;
    const best = banks ? bestOfBank(candidates) : rankScores.map(() => rankScores[0]);
    const reasons = rankScores.map((score, i) => {
      const least = best[i] + this.margin - ROUNDING * (1 - best[i]);
      return score > NEG_INF && score < Math.fround(least) ? "threshold" : null;
    });
    return { ...candidates, reasons };
  }
}
