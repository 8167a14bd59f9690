// Transformer encoder-decoder with a key-value cache as its decoder state.

import { affine, embed, pick } from "../linear.js";
import { DecoderLayer, EncoderLayer, layerNorm } from "./transformer_layers.js";

/** @typedef {import("../weights.js").Weights} Weights */
/** @typedef {import("./network.js").StepOutput} StepOutput */
/** @typedef {import("./transformer_layers.js").Config} Config */
/** @typedef {import("./transformer_layers.js").KeyValue} KeyValue */

const POSITION_BASE = 10_000;

/** The state of R rows: keys and values of every layer, of the target so far and of the source. */
class TransformerState {
  /**
   * @param {number} numRows
   * @param {number} length  target tokens read so far
   * @param {KeyValue[]} target  for each layer
   * @param {KeyValue[]} source  for each layer; one source for all rows
   * @param {number} sourceLength
   * @param {number} width
   */
  constructor(numRows, length, target, source, sourceLength, width) {
    this.numRows = numRows;
    this.length = length;
    this.target = target;
    this.source = source;
    this.sourceLength = sourceLength;
    this.width = width;
  }

  /** @param {readonly number[]} rowIndices */
  reorder(rowIndices) {
    const rowSize = this.length * this.width; // values of one row
    const target = this.target.map(({ keys, values }) => ({
      keys: pick(keys, rowIndices, rowSize),
      values: pick(values, rowIndices, rowSize),
    }));
    return new TransformerState(rowIndices.length, this.length, target, this.source, this.sourceLength, this.width);
  }

  /** Keys and values of the latest position. @returns {KeyValue[]} */
  newest() {
    const { numRows, length, width } = this;
    const latest = (/** @type {Float32Array} */ all) => {
      const positions = Array.from({ length: numRows }, (_, row) => (row + 1) * length - 1);
      return pick(all, positions, width);
    };
    return this.target.map(({ keys, values }) => ({ keys: latest(keys), values: latest(values) }));
  }

  /** @param {KeyValue[][]} parts  for each step and layer @param {number[][]} rowIndices  for each step */
  resume(parts, rowIndices) {
    const [length, width] = [parts.length, this.width];
    const numRows = rowIndices[0].length;
    const join = (/** @type {number} */ layer, /** @type {keyof KeyValue} */ name) => {
      const all = new Float32Array(numRows * length * width);
      for (const [position, part] of parts.entries()) {
        const vectors = pick(part[layer][name], rowIndices[position], width);
        for (let row = 0; row < numRows; row++)
          all.set(vectors.subarray(row * width, (row + 1) * width), (row * length + position) * width);
      }
      return all;
    };
    const target = this.target.map((_, layer) => ({ keys: join(layer, "keys"), values: join(layer, "values") }));
    return new TransformerState(numRows, length, target, this.source, this.sourceLength, width);
  }
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
    this.encoder = names("encoder", config.num_layers).map((name) => new EncoderLayer(weights, name, config));
    this.decoder = names("decoder", config.num_decoder_layers).map((name) => new DecoderLayer(weights, name, config));
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

  /** @param {ArrayLike<number>} source  ids */
  initialState(source) {
    const length = source.length;
    let x = embed(this.sourceEmbedding, source);
    for (let position = 0; position < length; position++) this._addPosition(x, position, position);
    for (const layer of this.encoder) x = layer.of(x, length);
    const memory = this.encoderNorm(x);
    const empty = { keys: new Float32Array(0), values: new Float32Array(0) };
    return new TransformerState(
      1,
      0,
      this.decoder.map(() => empty),
      this.decoder.map((layer) => layer.source(memory, length)),
      length,
      this.width,
    );
  }

  /**
   * @param {readonly number[]} tokens
   * @param {TransformerState} state
   * @param {Float32Array} [override]  L * H * S
   * @returns {StepOutput}
   */
  step(tokens, state, override) {
    const numRows = tokens.length;
    const { length, sourceLength } = state;
    let x = embed(this.embedding, tokens);
    for (let row = 0; row < numRows; row++) this._addPosition(x, row, length);
    const size = this.config.num_heads * sourceLength; // weights of one layer and row
    const attention = new Float32Array(numRows * this.decoder.length * size);
    /** @type {KeyValue[]} */
    const targets = [];
    for (const [i, layer] of this.decoder.entries()) {
      const part = override?.subarray(i * size, (i + 1) * size);
      const result = layer.step(x, state.target[i], length, state.source[i], sourceLength, part);
      x = result.x;
      targets.push(result.target);
      for (let row = 0; row < numRows; row++)
        attention.set(result.cross.subarray(row * size, (row + 1) * size), (row * this.decoder.length + i) * size);
    }
    const after = new TransformerState(numRows, length + 1, targets, state.source, sourceLength, this.width);
    return { logits: this.output(this.decoderNorm(x), numRows), state: after, attention };
  }

  /**
   * Scale a vector of x and add its position: sines in the first half, cosines in the second.
   *
   * @param {Float32Array} x
   * @param {number} row
   * @param {number} position
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
