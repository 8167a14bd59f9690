// What every network can do, and the network of a checkpoint's configuration.

import { Captioner } from "./captioner.js";
import { RecurrentModel } from "./recurrent.js";
import { TransformerModel } from "./transformer.js";

/** @import { Weights } from "../weights.js" */

/**
 * One step of the decoder for R rows.
 * @typedef {object} StepOutput
 * @property {Float32Array} logits  R * V
 * @property {DecoderState} state  after the step
 * @property {Float32Array | null} attention  R * L * H * S, cross-attention; null if the network has none
 */

/**
 * The decoder's memory of R rows that read one source. A step makes a new state and changes none.
 * @typedef {object} DecoderState
 * @property {(rowIndices: readonly number[]) => DecoderState} reorder  Returns the state of these rows.
 * @property {() => any} newest  The part that the latest step added; all of the state if a step replaces it.
 * @property {(parts: any[], rowIndices: number[][]) => DecoderState} resume
 *   Rebuilds a state from the parts that its T steps added, oldest first. rowIndices (T, R): column r holds the
 *   row of each step that leads to row r.
 */

/**
 * @typedef {object} Network
 * @property {number} vocabSize  V
 * @property {[number, number] | null} attentionShape  layers L and heads H of cross-attention
 * @property {number | null} maxPositions  longest source or target in tokens; null for no limit
 * @property {(source: ArrayLike<number>) => DecoderState} initialState
 *   Encodes a source and returns the state of one row that has read nothing yet.
 * @property {(tokens: readonly number[], state: DecoderState, override?: Float32Array) => StepOutput} step
 *   Reads one token for each row. `override` (L * H * S) replaces the attention where it is a number.
 */

const NETWORKS = { recurrent: RecurrentModel, transformer: TransformerModel, captioner: Captioner };

/**
 * Return the network of a checkpoint's config.json. Throws an Error for an architecture that this page cannot run.
 * @type {(config: { network: { architecture: string }, vocab_size: number }, weights: Weights) => Network}
 */
export function buildModel(config, weights) {
  const kind = NETWORKS[/** @type {keyof NETWORKS} */ (config.network.architecture)];
  if (!kind) throw new Error(`This page cannot run a network of the kind “${config.network.architecture}”.`);
  return /** @type {any} */ (new kind(/** @type {any} */ (config.network), weights));
}
