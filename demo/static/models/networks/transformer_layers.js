// Layers of the Transformer: feed-forward, residual connection, attention, encoder layer, decoder layer.

import { concatenate, linear, normalise, overridden, softmaxRows } from "../linear.js";

/** @import { Layer } from "../linear.js" */
/** @import { Weights } from "../weights.js" */

/**
 * @typedef {{ d_model: number, num_heads: number, num_layers: number, num_decoder_layers: number,
 *   activation: string, pre_norm: boolean, max_positions: number }} Config
 */

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

/**
 * Return what surrounds a sublayer f: x + f(norm(x)) in a pre-norm network, norm(x + f(x)) in a post-norm one.
 * @type {(weights: Weights, name: string, preNorm: boolean) =>
 *   (x: Float32Array, sublayer: (x: Float32Array) => Float32Array) => Float32Array}
 */
function residual(weights, name, preNorm) {
  const norm = layerNorm(weights, `${name}.norm`);
  return (x, sublayer) => {
    const update = sublayer(preNorm ? norm(x) : x);
    const total = update.map((value, i) => value + x[i]);
    return preNorm ? total : norm(total);
  };
}

/**
 * Multi-head scaled dot-product attention from Q queries (Q * D) to keys and values: Q weights (Q * H * T), mixed
 * values (Q * D).
 * @param {Config} config
 * @param {Float32Array} queries
 * @param {(query: number) => KeyValue & { start: number }} of  keys and values of a query, from number `start` on
 * @param {number} length  T
 * @param {Float32Array} [override]  H * T
 */
function attend({ num_heads: heads, d_model: width }, queries, of, length, override) {
  const headWidth = width / heads;
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

/**
 * The position-wise feed-forward network of a layer, and its residual connection.
 * @type {(weights: Weights, name: string, config: Config) => Layer}
 */
function feedForward(weights, name, config) {
  const expand = linear(weights, `${name}.feed_forward.expand`);
  const contract = linear(weights, `${name}.feed_forward.contract`);
  const activation = ACTIVATIONS[/** @type {keyof ACTIVATIONS} */ (config.activation)];
  const around = residual(weights, `${name}.residual_feed_forward`, config.pre_norm);
  return (x, numRows) => around(x, (input) => contract(expand(input, numRows).map(activation), numRows));
}

/** @type {(weights: Weights, name: string, config: Config) => Layer} */
export function encoderLayer(weights, name, config) {
  const project = linear(weights, `${name}.self_attention.query_key_value`);
  const output = linear(weights, `${name}.self_attention.output`);
  const around = residual(weights, `${name}.residual_self`, config.pre_norm);
  const withFeedForward = feedForward(weights, name, config);
  return (x, length) => {
    const attended = around(x, (input) => {
      const [queries, keys, values] = split(project(input, length), 3, config.d_model);
      return output(attend(config, queries, () => ({ keys, values, start: 0 }), length).mixed, length);
    });
    return withFeedForward(attended, length);
  };
}

/**
 * @param {Weights} weights
 * @param {string} name
 * @param {Config} config
 */
export function decoderLayer(weights, name, config) {
  const width = config.d_model;
  const projectSelf = linear(weights, `${name}.self_attention.query_key_value`);
  const outputSelf = linear(weights, `${name}.self_attention.output`);
  const toQuery = linear(weights, `${name}.cross_attention.query`);
  const toKeyValue = linear(weights, `${name}.cross_attention.key_value`);
  const outputCross = linear(weights, `${name}.cross_attention.output`);
  const aroundSelf = residual(weights, `${name}.residual_self`, config.pre_norm);
  const aroundCross = residual(weights, `${name}.residual_cross`, config.pre_norm);
  const withFeedForward = feedForward(weights, name, config);
  return {
    /** @param {Float32Array} memory @param {number} length @returns {KeyValue} */
    source(memory, length) {
      const [keys, values] = split(toKeyValue(memory, length), 2, width);
      return { keys, values };
    },

    /**
     * Read one token of each row: x (R * D).
     * @param {Float32Array} x
     * @param {KeyValue} past  of `length` tokens
     * @param {number} length
     * @param {KeyValue} source
     * @param {number} sourceLength
     * @param {Float32Array} [override]  H * S
     */
    step(x, past, length, source, sourceLength, override) {
      const numRows = x.length / width;
      let target = past;
      let cross = new Float32Array(0);
      const attended = aroundSelf(x, (input) => {
        const [queries, keys, values] = split(projectSelf(input, numRows), 3, width);
        target = {
          keys: concatenate([past.keys, keys], numRows),
          values: concatenate([past.values, values], numRows),
        };
        const of = (/** @type {number} */ row) => ({ ...target, start: row * (length + 1) * width });
        return outputSelf(attend(config, queries, of, length + 1).mixed, numRows);
      });
      const informed = aroundCross(attended, (input) => {
        const queries = toQuery(input, numRows);
        const { weights, mixed } = attend(config, queries, () => ({ ...source, start: 0 }), sourceLength, override);
        cross = weights;
        return outputCross(mixed, numRows);
      });
      return { x: withFeedForward(informed, numRows), target, cross };
    },
  };
}

/**
 * Split the rows of x (R * parts * D) into parts (R * D).
 * @type {(x: Float32Array, parts: number, width: number) => Float32Array[]}
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
 * Return layer normalisation (Ba et al. 2016) over the last dimension.
 * @type {(weights: Weights, name: string) => (x: Float32Array) => Float32Array}
 */
export function layerNorm(weights, name) {
  const [scale, shift] = [weights[`${name}.weight`].data, weights[`${name}.bias`].data];
  const width = scale.length;
  return (/** @type {Float32Array} */ x) =>
    normalise(x, width, (value, i) => value * scale[i % width] + shift[i % width]);
}
