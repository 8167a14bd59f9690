// Linear layers, embeddings and the small functions that every network is made of.

import { product } from "./product.js";

/** @import { Tensor, Weights } from "./weights.js" */
/** @typedef {(x: Float32Array, numRows: number) => Float32Array} Layer  (R * inputs) -> (R * outputs) */

const NORM_EPSILON = 1e-5;

/**
 * Return a linear layer, named as `decoder.0.self_attention.output`: x W^T + b. The bias may be missing.
 * @type {(weights: Weights, name: string) => Layer}
 */
export const linear = (weights, name) => affine(weights[`${name}.weight`], weights[`${name}.bias`]);

/** Return a linear layer of the given weight (O, I) and bias (O). @type {(weight: Tensor, bias?: Tensor) => Layer} */
export function affine(weight, bias) {
  const [outputs, inputs] = weight.shape;
  const multiply = product(weight.data, outputs, inputs);
  return (x, numRows) => {
    const result = multiply(x, numRows);
    if (bias) {
      for (let row = 0; row < numRows; row++)
        for (let i = 0; i < outputs; i++) result[row * outputs + i] += bias.data[i];
    }
    return result;
  };
}

/**
 * Look up the vectors of tokens in a table (V, E): (R * E).
 * @type {(table: Tensor, tokens: ArrayLike<number>) => Float32Array}
 */
export const embed = ({ data, shape }, tokens) => pick(data, tokens, shape[1]);

/**
 * Copy rows of x (R * width): (R' * width).
 * @type {(x: Float32Array, rowIndices: ArrayLike<number>, width: number) => Float32Array}
 */
export function pick(x, rowIndices, width) {
  const result = new Float32Array(rowIndices.length * width);
  for (let i = 0; i < rowIndices.length; i++)
    result.set(x.subarray(rowIndices[i] * width, (rowIndices[i] + 1) * width), i * width);
  return result;
}

/**
 * Concatenate the rows of several arrays (R * width, each with a width of its own).
 * @type {(parts: Float32Array[], numRows: number) => Float32Array}
 */
export function concatenate(parts, numRows) {
  const widths = parts.map((values) => values.length / numRows);
  const result = new Float32Array(parts.reduce((total, { length }) => total + length, 0));
  let start = 0;
  for (let row = 0; row < numRows; row++)
    for (const [i, width] of widths.entries()) {
      result.set(parts[i].subarray(row * width, (row + 1) * width), start);
      start += width;
    }
  return result;
}

/** Replace each row of x by its softmax, in place. @type {(x: Float32Array, width: number) => Float32Array} */
export function softmaxRows(x, width) {
  for (let start = 0; start < x.length; start += width) {
    let largest = Number.NEGATIVE_INFINITY;
    for (let i = start; i < start + width; i++) if (x[i] > largest) largest = x[i];
    let total = 0;
    for (let i = start; i < start + width; i++) {
      x[i] = Math.exp(x[i] - largest);
      total += x[i];
    }
    for (let i = start; i < start + width; i++) x[i] /= total;
  }
  return x;
}

/**
 * Normalise each group of `width` numbers of x to mean 0 and variance 1, then apply a function of value and index.
 * @type {(x: Float32Array, width: number, finish: (value: number, index: number) => number) => Float32Array}
 */
export function normalise(x, width, finish) {
  const result = new Float32Array(x.length);
  for (let start = 0; start < x.length; start += width) {
    const end = start + width;
    let [sum, squares] = [0, 0];
    for (let i = start; i < end; i++) sum += x[i];
    const mean = sum / width;
    for (let i = start; i < end; i++) squares += (x[i] - mean) ** 2;
    const factor = 1 / Math.sqrt(squares / width + NORM_EPSILON);
    for (let i = start; i < end; i++) result[i] = finish((x[i] - mean) * factor, i);
  }
  return result;
}

/**
 * Replace weights (R * n) by an override (n) where it is a number, in place.
 * @type {(weights: Float32Array, override?: Float32Array) => Float32Array}
 */
export function overridden(weights, override) {
  if (!override) return weights;
  for (let i = 0; i < weights.length; i++) {
    const value = override[i % override.length];
    if (!Number.isNaN(value)) weights[i] = value;
  }
  return weights;
}

/** @param {number} x */
export const sigmoid = (x) => 1 / (1 + Math.exp(-x));

/** Apply tanh in place. @param {Float32Array} x */
export function tanh(x) {
  for (let i = 0; i < x.length; i++) x[i] = Math.tanh(x[i]);
  return x;
}
