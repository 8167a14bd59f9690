// Transformer encoder-decoder with a key-value cache as its decoder state.

import { affine, concatenate, embed, pick } from "../linear.js";
import { decoderLayer, encoderLayer, layerNorm } from "./transformer_layers.js";

/** @import { Weights } from "../weights.js" */
/** @import { DecoderState, StepOutput } from "./network.js" */
/** @import { Config, KeyValue } from "./transformer_layers.js" */

const POSITION_BASE = 10_000;

/**
 * The state of R rows: keys and values of every layer, of the target so far and of the source.
 * @typedef {object} Rows
 * @property {number} length  target tokens read so far
 * @property {KeyValue[]} target  for each layer
 * @property {KeyValue[]} source  for each layer; one source for all rows
 * @property {number} sourceLength
 */
/** @typedef {DecoderState & Rows} TransformerState */

/** @type {(rows: Rows, width: number) => TransformerState} */
function transformerState(rows, width) {
  /** @type {(pickFrom: (vectors: Float32Array) => Float32Array) => KeyValue[]} */
  const eachOf = (pickFrom) =>
    rows.target.map(({ keys, values }) => ({ keys: pickFrom(keys), values: pickFrom(values) }));
  return {
    ...rows,
    reorder(rowIndices) {
      const target = eachOf((vectors) => pick(vectors, rowIndices, rows.length * width));
      return transformerState({ ...rows, target }, width);
    },
    /** Keys and values of the latest position. */
    newest: () =>
      eachOf((vectors) => {
        const numRows = vectors.length / (rows.length * width);
        const positions = Array.from({ length: numRows }, (_, row) => (row + 1) * rows.length - 1);
        return pick(vectors, positions, width);
      }),
    resume(parts, rowIndices) {
      const join = (/** @type {number} */ layer, /** @type {keyof KeyValue} */ name) => {
        const vectors = parts.map((part, position) => pick(part[layer][name], rowIndices[position], width));
        return concatenate(vectors, rowIndices[0].length);
      };
      const target = rows.target.map((_, layer) => ({ keys: join(layer, "keys"), values: join(layer, "values") }));
      return transformerState({ ...rows, length: parts.length, target }, width);
    },
  };
}

/** The Transformer (Vaswani et al. 2017). */
export class TransformerModel {
  /** @param {Config} config @param {Weights} weights */
  constructor(config, weights) {
    this.config = config;
    this.width = config.d_model;
    this.embedding = weights["tgt_embedding.weight"];
    this.sourceEmbedding = weights["src_embedding.weight"] ?? this.embedding;
    const names = (/** @type {string} */ part, /** @type {number} */ count) =>
      Array.from({ length: count }, (_, i) => `${part}.${i}`);
    this.encoder = names("encoder", config.num_layers).map((name) => encoderLayer(weights, name, config));
    this.decoder = names("decoder", config.num_decoder_layers).map((name) => decoderLayer(weights, name, config));
    const identity = (/** @type {Float32Array} */ x) => x;
    this.encoderNorm = config.pre_norm ? layerNorm(weights, "encoder_norm") : identity;
    this.decoderNorm = config.pre_norm ? layerNorm(weights, "decoder_norm") : identity;
    this.output = affine(weights["output.weight"] ?? this.embedding, weights["output.bias"]);
    this.vocabSize = this.embedding.shape[0];
    /** @type {[number, number] | null} */
    this.attentionShape = [config.num_decoder_layers, config.num_heads];
    /** @type {number | null} */
    this.maxPositions = config.max_positions;
  }

  /** @param {ArrayLike<number>} ids  of the source */
  initialState(ids) {
    const { length } = ids;
    /** @type {Float32Array} */
    let x = embed(this.sourceEmbedding, ids);
    for (let position = 0; position < length; position++) this._addPosition(x, position, position);
    for (const layer of this.encoder) x = layer(x, length);
    const memory = this.encoderNorm(x);
    const empty = { keys: new Float32Array(0), values: new Float32Array(0) };
    const target = this.decoder.map(() => empty);
    const source = this.decoder.map((layer) => layer.source(memory, length));
    return transformerState({ length: 0, target, source, sourceLength: length }, this.width);
  }

  /** @type {(tokens: readonly number[], state: TransformerState, override?: Float32Array) => StepOutput} */
  step(tokens, state, override) {
    const numRows = tokens.length;
    const { length, sourceLength } = state;
    /** @type {Float32Array} */
    let x = embed(this.embedding, tokens);
    for (let row = 0; row < numRows; row++) this._addPosition(x, row, length);
    const size = this.config.num_heads * sourceLength; // weights of one layer and row
    const target = [];
    const attention = [];
    for (const [i, layer] of this.decoder.entries()) {
      const part = override?.subarray(i * size, (i + 1) * size);
      const result = layer.step(x, state.target[i], length, state.source[i], sourceLength, part);
      x = result.x;
      target.push(result.target);
      attention.push(result.cross);
    }
    const after = transformerState({ length: length + 1, target, source: state.source, sourceLength }, this.width);
    return {
      logits: this.output(this.decoderNorm(x), numRows),
      state: after,
      attention: concatenate(attention, numRows),
    };
  }

  /**
   * Scale a vector of x and add its position: sines in the first half, cosines in the second.
   * @type {(x: Float32Array, row: number, position: number) => void}
   */
  _addPosition(x, row, position) {
    const [scale, half] = [Math.sqrt(this.width), this.width / 2];
    for (let i = 0; i < this.width; i++) {
      const angle = position * Math.exp(2 * (i % half) * (-Math.log(POSITION_BASE) / this.width));
      const index = row * this.width + i;
      x[index] = x[index] * scale + (i < half ? Math.sin(angle) : Math.cos(angle));
    }
  }
}
