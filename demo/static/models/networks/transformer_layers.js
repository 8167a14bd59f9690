// Layers of the Transformer: feed-forward, residual connection, attention, encoder layer, decoder layer.

import { linear, overridden, softmaxRows } from "../linear.js";

/** @typedef {import("../weights.js").Weights} Weights */

/**
 * @typedef {{ d_model: number, num_heads: number, num_layers: number, num_decoder_layers: number,
 *   activation: string, pre_norm: boolean, max_positions: number }} Config
 */

const NORM_EPSILON = 1e-5;

const ACTIVATIONS = {
  relu: (/** @type {number} */ x) => Math.max(0, x),
  gelu: (/** @type {number} */ x) => (x * (1 + errorFunction(x * Math.SQRT1_2))) / 2,
  swish: (/** @type {number} */ x) => x / (1 + Math.exp(-x)),
};

/** The error function, to 1.2e-7 (Press et al., Numerical Recipes, erfc by Chebyshev fitting). @param {number} x */
function errorFunction(x) {
  const t = 1 / (1 + Math.abs(x) / 2);
  const terms = [
    -1.26551223, 1.00002368, 0.37409196, 0.09678418, -0.18628806, 0.27886807, -1.13520398, 1.48851587, -0.82215223,
    0.17087277,
  ];
  const sum = terms.reduceRight((total, term) => total * t + term, 0);
  const rest = t * Math.exp(-x * x + sum);
  return x >= 0 ? 1 - rest : rest - 1;
}

/** Keys and values of T tokens for R rows: each (R * T * D), the heads side by side in D. */
/** @typedef {{ keys: Float32Array, values: Float32Array }} KeyValue */

/** x + f(norm(x)) in a pre-norm network, norm(x + f(x)) in a post-norm one. */
class Residual {
  /**
   * @param {Weights} weights
   * @param {string} name
   * @param {boolean} preNorm
   */
  constructor(weights, name, preNorm) {
    this.norm = layerNorm(weights, `${name}.norm`);
    this.preNorm = preNorm;
  }

  /** @param {Float32Array} x @param {(x: Float32Array) => Float32Array} sublayer */
  around(x, sublayer) {
    const update = sublayer(this.preNorm ? this.norm(x) : x);
    const total = update.map((value, i) => value + x[i]);
    return this.preNorm ? total : this.norm(total);
  }
}

/** Multi-head scaled dot-product attention. */
class Heads {
  /** @param {number} heads @param {number} width */
  constructor(heads, width) {
    this.heads = heads;
    this.width = width;
    this.headWidth = width / heads;
  }

  /**
   * Attend from Q queries (Q * D) to keys and values: Q weights (Q * H * T), mixed values (Q * D).
   *
   * @param {Float32Array} queries
   * @param {(query: number) => KeyValue & { start: number }} of  keys and values of a query, from number `start` on
   * @param {number} length  T
   * @param {Float32Array} [override]  H * T
   */
  attend(queries, of, length, override) {
    const { heads, width, headWidth } = this;
    const count = queries.length / width;
    const weights = new Float32Array(count * heads * length);
    const scale = headWidth ** -0.5;
    for (let query = 0; query < count; query++) {
      const { keys, start } = of(query);
      for (let head = 0; head < heads; head++)
        for (let position = 0; position < length; position++) {
          const [from, to] = [query * width + head * headWidth, start + position * width + head * headWidth];
          let sum = 0;
          for (let i = 0; i < headWidth; i++) sum += queries[from + i] * keys[to + i];
          weights[(query * heads + head) * length + position] = sum * scale;
        }
    }
    overridden(softmaxRows(weights, length), override);
    const mixed = new Float32Array(queries.length);
    for (let query = 0; query < count; query++) {
      const { values, start } = of(query);
      for (let head = 0; head < heads; head++)
        for (let position = 0; position < length; position++) {
          const weight = weights[(query * heads + head) * length + position];
          const [to, from] = [query * width + head * headWidth, start + position * width + head * headWidth];
          for (let i = 0; i < headWidth; i++) mixed[to + i] += weight * values[from + i];
        }
    }
    return { weights, mixed };
  }
}

/** The position-wise feed-forward network. */
class FeedForward {
  /**
   * @param {Weights} weights
   * @param {string} name
   * @param {string} activation
   */
  constructor(weights, name, activation) {
    this.expand = linear(weights, `${name}.expand`);
    this.contract = linear(weights, `${name}.contract`);
    this.activation = ACTIVATIONS[/** @type {keyof ACTIVATIONS} */ (activation)];
  }

  /** @param {Float32Array} x @param {number} numRows */
  of(x, numRows) {
    return this.contract(this.expand(x, numRows).map(this.activation), numRows);
  }
}

export class EncoderLayer {
  /**
   * @param {Weights} weights
   * @param {string} name
   * @param {Config} config
   */
  constructor(weights, name, config) {
    this.heads = new Heads(config.num_heads, config.d_model);
    this.project = linear(weights, `${name}.self_attention.query_key_value`);
    this.output = linear(weights, `${name}.self_attention.output`);
    this.feedForward = new FeedForward(weights, `${name}.feed_forward`, config.activation);
    this.aroundSelf = new Residual(weights, `${name}.residual_self`, config.pre_norm);
    this.aroundFeedForward = new Residual(weights, `${name}.residual_feed_forward`, config.pre_norm);
  }

  /** @param {Float32Array} x  S * D @param {number} length */
  of(x, length) {
    const attended = this.aroundSelf.around(x, (input) => {
      const [queries, keys, values] = split(this.project(input, length), 3, this.heads.width);
      return this.output(this.heads.attend(queries, () => ({ keys, values, start: 0 }), length).mixed, length);
    });
    return this.aroundFeedForward.around(attended, (input) => this.feedForward.of(input, length));
  }
}

export class DecoderLayer {
  /**
   * @param {Weights} weights
   * @param {string} name
   * @param {Config} config
   */
  constructor(weights, name, config) {
    this.heads = new Heads(config.num_heads, config.d_model);
    this.projectSelf = linear(weights, `${name}.self_attention.query_key_value`);
    this.outputSelf = linear(weights, `${name}.self_attention.output`);
    this.query = linear(weights, `${name}.cross_attention.query`);
    this.keyValue = linear(weights, `${name}.cross_attention.key_value`);
    this.outputCross = linear(weights, `${name}.cross_attention.output`);
    this.feedForward = new FeedForward(weights, `${name}.feed_forward`, config.activation);
    this.aroundSelf = new Residual(weights, `${name}.residual_self`, config.pre_norm);
    this.aroundCross = new Residual(weights, `${name}.residual_cross`, config.pre_norm);
    this.aroundFeedForward = new Residual(weights, `${name}.residual_feed_forward`, config.pre_norm);
  }

  /** @param {Float32Array} memory @param {number} length @returns {KeyValue} */
  source(memory, length) {
    const [keys, values] = split(this.keyValue(memory, length), 2, this.heads.width);
    return { keys, values };
  }

  /**
   * Read one token of each row: x (R * D).
   *
   * @param {Float32Array} x
   * @param {KeyValue} past  of `length` tokens
   * @param {number} length
   * @param {KeyValue} source
   * @param {number} sourceLength
   * @param {Float32Array} [override]  H * S
   */
  step(x, past, length, source, sourceLength, override) {
    const { width } = this.heads;
    const numRows = x.length / width;
    /** @type {KeyValue} */
    let target = past;
    let cross = new Float32Array(0);
    const attended = this.aroundSelf.around(x, (input) => {
      const [queries, keys, values] = split(this.projectSelf(input, numRows), 3, width);
      target = {
        keys: append(past.keys, keys, numRows, width),
        values: append(past.values, values, numRows, width),
      };
      const of = (/** @type {number} */ row) => ({ ...target, start: row * (length + 1) * width });
      return this.outputSelf(this.heads.attend(queries, of, length + 1).mixed, numRows);
    });
    const informed = this.aroundCross.around(attended, (input) => {
      const queries = this.query(input, numRows);
      const { weights, mixed } = this.heads.attend(queries, () => ({ ...source, start: 0 }), sourceLength, override);
      cross = weights;
      return this.outputCross(mixed, numRows);
    });
    return {
      x: this.aroundFeedForward.around(informed, (input) => this.feedForward.of(input, numRows)),
      target,
      cross,
    };
  }
}

/**
 * Split the rows of x (R * parts * D) into parts (R * D).
 *
 * @param {Float32Array} x
 * @param {number} parts
 * @param {number} width
 */
function split(x, parts, width) {
  const numRows = x.length / (parts * width);
  return Array.from({ length: parts }, (_, part) => {
    const result = new Float32Array(numRows * width);
    for (let row = 0; row < numRows; row++) {
      const start = (row * parts + part) * width;
      result.set(x.subarray(start, start + width), row * width);
    }
    return result;
  });
}

/**
 * Append one vector (R * D) to each row of (R * T * D).
 *
 * @param {Float32Array} past
 * @param {Float32Array} added
 * @param {number} numRows
 * @param {number} width
 */
function append(past, added, numRows, width) {
  const before = past.length / numRows;
  const result = new Float32Array(past.length + added.length);
  for (let row = 0; row < numRows; row++) {
    result.set(past.subarray(row * before, (row + 1) * before), row * (before + width));
    result.set(added.subarray(row * width, (row + 1) * width), row * (before + width) + before);
  }
  return result;
}

/**
 * Return layer normalisation (Ba et al. 2016) over the last dimension.
 *
 * @param {Weights} weights
 * @param {string} name
 */
export function layerNorm(weights, name) {
  const [scale, shift] = [weights[`${name}.weight`].data, weights[`${name}.bias`].data];
  const width = scale.length;
  return (/** @type {Float32Array} */ x) => {
    const result = new Float32Array(x.length);
    for (let start = 0; start < x.length; start += width) {
      let [sum, squares] = [0, 0];
      for (let i = 0; i < width; i++) sum += x[start + i];
      const mean = sum / width;
      for (let i = 0; i < width; i++) squares += (x[start + i] - mean) ** 2;
      const factor = 1 / Math.sqrt(squares / width + NORM_EPSILON);
      for (let i = 0; i < width; i++) result[start + i] = (x[start + i] - mean) * factor * scale[i] + shift[i];
    }
    return result;
  };
}
