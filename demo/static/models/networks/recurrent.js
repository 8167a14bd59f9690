// Recurrent decoder, and the encoder-decoder of recurrent cells, with or without attention.

import { affine, concatenate, embed, linear, overridden, pick, softmaxRows, tanh } from "../linear.js";
import { CELLS } from "./cells.js";

/** @import { Weights } from "../weights.js" */
/** @import { DecoderState, StepOutput } from "./network.js" */

/**
 * The source as the decoder reads it.
 * @typedef {object} Source
 * @property {number} length  S
 * @property {Float32Array} memory  S * D
 * @property {Float32Array} keys  S * A, the memory as the alignment score reads it
 * @property {Float32Array | null} context  D, fed to every step when the context is concatenated
 */

/**
 * The state of R rows: for each layer, the parts of the cell's state, each (R * D).
 * @typedef {DecoderState & { layers: Float32Array[][], source: Source }} RecurrentState
 */

/** @type {(layers: Float32Array[][], source: Source, width: number) => RecurrentState} */
function recurrentState(layers, source, width) {
  /** @type {RecurrentState} */
  const state = {
    layers,
    source,
    reorder(rowIndices) {
      const reordered = layers.map((parts) => parts.map((part) => pick(part, rowIndices, width)));
      return recurrentState(reordered, source, width);
    },
    newest: () => state,
    resume: (parts, rowIndices) => parts[parts.length - 1].reorder(rowIndices[rowIndices.length - 1]),
  };
  return state;
}

/**
 * One layer in one direction.
 * @param {Weights} weights
 * @param {string} prefix  as in `decoder`
 * @param {string} suffix  as in `l0_reverse`
 * @param {import("./cells.js").Cell} cell
 */
function cellLayer(weights, prefix, suffix, cell) {
  const part = (/** @type {string} */ name) => weights[`${prefix}.${name}_${suffix}`];
  const width = part("weight_hh").shape[1];
  const fromInput = affine(part("weight_ih"), part("bias_ih"));
  const fromState = affine(part("weight_hh"), part("bias_hh"));
  return {
    /**
     * One step of R rows: inputs (R * E), state before -> state after.
     * @type {(inputs: Float32Array, before: Float32Array[], numRows: number) => Float32Array[]}
     */
    step: (inputs, before, numRows) =>
      cell.step(fromInput(inputs, numRows), fromState(before[0], numRows), before, width),

    /**
     * Read S vectors (S * E) in order, or from the last to the first: outputs (S * D), and the state at the end.
     * @type {(vectors: Float32Array, length: number, backward: boolean) =>
     *   { outputs: Float32Array, state: Float32Array[] }}
     */
    read(vectors, length, backward) {
      const projected = fromInput(vectors, length);
      const gates = projected.length / length;
      const outputs = new Float32Array(length * width);
      /** @type {Float32Array[]} */
      let state = Array.from({ length: cell.states }, () => new Float32Array(width));
      for (let number = 0; number < length; number++) {
        const position = backward ? length - 1 - number : number;
        const inputs = projected.subarray(position * gates, (position + 1) * gates);
        state = cell.step(inputs, fromState(state[0], 1), state, width);
        outputs.set(state[0], position * width);
      }
      return { outputs, state };
    },
  };
}

/**
 * The alignment score of attention: additive, dot, scaled_dot or general, as `models/networks/attention.py`.
 * @param {Weights} weights
 * @param {string} kind
 * @param {number} width
 */
function alignmentScore(weights, kind, width) {
  const toKey = kind === "additive" || kind === "general" ? linear(weights, "attention.key") : null;
  const toQuery = kind === "additive" ? linear(weights, "attention.query") : null;
  const energy = kind === "additive" ? weights["attention.energy.weight"].data : null;
  const scale = kind === "scaled_dot" ? 1 / Math.sqrt(width) : 1;
  return {
    /** @param {Float32Array} memory @param {number} length */
    keys: (memory, length) => toKey?.(memory, length) ?? memory,

    /**
     * Scores (R * S) of each source position for R states (R * D).
     * @type {(states: Float32Array, numRows: number, source: Source) => Float32Array}
     */
    scores(states, numRows, { keys, length }) {
      const queries = toQuery?.(states, numRows) ?? states;
      const keyWidth = keys.length / length;
      const scores = new Float32Array(numRows * length);
      for (let row = 0; row < numRows; row++)
        for (let position = 0; position < length; position++) {
          let sum = 0;
          for (let i = 0; i < keyWidth; i++) {
            const [query, key] = [queries[row * keyWidth + i], keys[position * keyWidth + i]];
            sum += energy ? energy[i] * Math.tanh(query + key) : query * key;
          }
          scores[row * length + position] = sum * scale;
        }
      return scores;
    },
  };
}

/** The decoder's half of a network; its subclass encodes the source. */
export class RecurrentDecoder {
  /**
   * @param {{ cell?: string, d_model: number, num_layers?: number, context?: string, attention?: string }} config
   * @param {Weights} weights
   */
  constructor(config, weights) {
    const { d_model: width, num_layers: layers = 1 } = config;
    const { cell = "gru", context = "initial", attention = "additive" } = config;
    this.cell = CELLS[/** @type {keyof CELLS} */ (cell)];
    if (!this.cell) throw new Error(`This page cannot run the recurrent cell “${cell}”.`);
    this.width = width;
    this.concatenates = context === "concat";
    this.embedding = weights["tgt_embedding.weight"];
    this.layers = Array.from({ length: layers }, (_, i) => cellLayer(weights, "decoder", `l${i}`, this.cell));
    this.attention = attention === "none" ? null : alignmentScore(weights, attention, width);
    this.readout = weights["readout.weight"] ? linear(weights, "readout") : null;
    this.output = affine(weights["output.weight"] ?? this.embedding, weights["output.bias"]);
    this.vocabSize = this.embedding.shape[0];
    /** @type {[number, number] | null} */
    this.attentionShape = this.attention ? [1, 1] : null;
    /** @type {number | null} */
    this.maxPositions = null;
  }

  /**
   * The state of one row that has read nothing yet.
   * @param {Float32Array} memory  S * D
   * @param {number} length  S
   * @param {Float32Array[][]} final  for each layer, the parts of the encoder's last state, each D
   */
  stateOf(memory, length, final) {
    const keys = this.attention ? this.attention.keys(memory, length) : memory;
    const context = this.concatenates ? /** @type {Float32Array[]} */ (final.at(-1))[0] : null;
    return recurrentState(final, { length, memory, keys, context }, this.width);
  }

  /** @type {(tokens: readonly number[], state: RecurrentState, override?: Float32Array) => StepOutput} */
  step(tokens, state, override) {
    const numRows = tokens.length;
    /** @type {Float32Array} */
    let inputs = this._inputs(tokens, state.source.context);
    /** @type {Float32Array[][]} */
    const layers = [];
    for (const [i, layer] of this.layers.entries()) {
      layers.push(layer.step(inputs, state.layers[i], numRows));
      inputs = layers[i][0];
    }
    const { features, attention } = this._readOut(inputs, numRows, state.source, override);
    const after = recurrentState(layers, state.source, this.width);
    return { logits: this.output(features, numRows), state: after, attention };
  }

  /** @param {readonly number[]} tokens @param {Float32Array | null} context */
  _inputs(tokens, context) {
    const vectors = embed(this.embedding, tokens);
    if (!context) return vectors;
    const repeated = pick(context, Array(tokens.length).fill(0), this.width);
    return concatenate([vectors, repeated], tokens.length);
  }

  /**
   * Apply attention and readout: outputs (R * D) -> features (R * E), attention (R * S).
   * @type {(outputs: Float32Array, numRows: number, source: Source, override?: Float32Array) =>
   *   { features: Float32Array, attention: Float32Array | null }}
   */
  _readOut(outputs, numRows, source, override) {
    if (!this.attention || !this.readout)
      return { features: this.readout ? tanh(this.readout(outputs, numRows)) : outputs, attention: null };
    const { length, memory } = source;
    const attention = overridden(softmaxRows(this.attention.scores(outputs, numRows, source), length), override);
    const mixed = new Float32Array(numRows * this.width);
    for (let row = 0; row < numRows; row++)
      for (let position = 0; position < length; position++) {
        const weight = attention[row * length + position];
        for (let i = 0; i < this.width; i++) mixed[row * this.width + i] += weight * memory[position * this.width + i];
      }
    const both = concatenate([outputs, mixed], numRows);
    return { features: tanh(this.readout(both, numRows)), attention };
  }
}

/** Encoder and decoder of stacked cells; a bidirectional encoder gives each direction half of the width. */
export class RecurrentModel extends RecurrentDecoder {
  /**
   * @param {{ cell: string, d_model: number, num_layers: number, context: string, attention: string,
   *   bidirectional: boolean }} config
   * @param {Weights} weights
   */
  constructor(config, weights) {
    super(config, weights);
    this.sourceEmbedding = weights["src_embedding.weight"] ?? this.embedding;
    const suffixes = config.bidirectional ? ["", "_reverse"] : [""];
    this.encoder = this.layers.map((_, i) =>
      suffixes.map((suffix) => cellLayer(weights, "encoder", `l${i}${suffix}`, this.cell)),
    );
  }

  /** @param {ArrayLike<number>} source  ids */
  initialState(source) {
    const length = source.length;
    let vectors = embed(this.sourceEmbedding, source);
    /** @type {Float32Array[][]} */
    const final = [];
    for (const directions of this.encoder) {
      const read = directions.map((layer, i) => layer.read(vectors, length, i === 1));
      const outputs = read.map((direction) => direction.outputs);
      vectors = concatenate(outputs, length);
      const ofDirections = read[0].state.map((_, part) => read.map(({ state }) => state[part]));
      final.push(ofDirections.map((parts) => concatenate(parts, 1)));
    }
    return this.stateOf(vectors, length, final);
  }
}
