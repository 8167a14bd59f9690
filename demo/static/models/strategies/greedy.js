// Greedy decoding: the most probable token at each step, ties to the lower id.

import { bestExpansions } from "../search/beam.js";
import { Strategy } from "../search/strategy.js";

export class Greedy extends Strategy {
  name = "greedy";
  rowsCompete = false;

  /** @param {Float32Array} logProbs @param {import("../search/beam.js").Beam} beam */
  expand(logProbs, beam) {
    return bestExpansions(logProbs, beam, 2);
  }
}
