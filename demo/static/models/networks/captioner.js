// Image captioning: a convolutional encoder under the recurrent decoder (Xu et al. 2015).

import { affine, linear, normalise, tanh } from "../linear.js";
import { RecurrentDecoder } from "./recurrent.js";

/** @import { Weights } from "../weights.js" */
/** @typedef {{ planes: Float32Array, channels: number, size: number }} Grid  planes (C * size * size) */

const GROUPS = 4; // the channels of a group are normalised together
const KERNEL = 3; // cells on a side
const LAYERS_EACH = 3; // a convolution, its normalisation and its activation, in the checkpoint's numbering

/**
 * Return a convolution of 3 x 3 with padding 1, group normalisation, and ReLU.
 * @type {(weights: Weights, number: number, stride: number) => (grid: Grid) => Grid}
 */
function convolution(weights, number, stride) {
  const [first, norm] = [LAYERS_EACH * number, LAYERS_EACH * number + 1];
  const { data, shape } = weights[`encoder.${first}.weight`];
  const [outputs, channels] = shape;
  const multiply = affine({ data, shape: [outputs, channels * KERNEL * KERNEL] }, weights[`encoder.${first}.bias`]);
  const [scale, shift] = [weights[`encoder.${norm}.weight`].data, weights[`encoder.${norm}.bias`].data];
  /** @type {(grid: Grid) => Grid} */
  return (grid) => {
    const size = Math.ceil(grid.size / stride);
    const cells = size * size;
    const products = multiply(patches(grid, size, stride), cells); // (cells * outputs)
    const planes = new Float32Array(outputs * cells);
    for (let cell = 0; cell < cells; cell++)
      for (let channel = 0; channel < outputs; channel++)
        planes[channel * cells + cell] = products[cell * outputs + channel];
    const scaleAndClip = (/** @type {number} */ value, /** @type {number} */ i) => {
      const channel = Math.floor(i / cells);
      return Math.max(0, value * scale[channel] + shift[channel]); // ReLU
    };
    return { planes: normalise(planes, planes.length / GROUPS, scaleAndClip), channels: outputs, size };
  };
}

/**
 * The 3 x 3 surroundings of each cell, zero beyond the border: (cells * channels * 9).
 * @type {(grid: Grid, size: number, stride: number) => Float32Array}
 */
function patches({ planes, channels, size: before }, size, stride) {
  const width = channels * KERNEL * KERNEL;
  const result = new Float32Array(size * size * width);
  for (let row = 0; row < size; row++)
    for (let column = 0; column < size; column++)
      for (let channel = 0; channel < channels; channel++)
        for (let i = 0; i < KERNEL * KERNEL; i++) {
          const y = row * stride + Math.floor(i / KERNEL) - 1;
          const x = column * stride + (i % KERNEL) - 1;
          if (y >= 0 && y < before && x >= 0 && x < before)
            result[(row * size + column) * width + channel * KERNEL * KERNEL + i] =
              planes[(channel * before + y) * before + x];
        }
  return result;
}

export class Captioner extends RecurrentDecoder {
  /** @param {{ picture_size: number, cells: number, d_model: number }} config @param {Weights} weights */
  constructor(config, weights) {
    super(config, weights);
    this.size = config.picture_size;
    const halvings = Math.log2(config.picture_size / config.cells);
    this.encoder = Array.from({ length: halvings + 1 }, (_, i) => convolution(weights, i, i < halvings ? 2 : 1));
    this.first = linear(weights, "start");
  }

  /** @param {ArrayLike<number>} source  the pixels as 0xRRGGBB, row by row */
  initialState(source) {
    const grid = this.encoder.reduce((before, layer) => layer(before), this._planes(source));
    const [length, width] = [grid.size * grid.size, grid.channels];
    const memory = new Float32Array(length * width);
    const mean = new Float32Array(width);
    for (let cell = 0; cell < length; cell++)
      for (let channel = 0; channel < width; channel++) {
        const value = grid.planes[channel * length + cell];
        memory[cell * width + channel] = value;
        mean[channel] += value / length;
      }
    return this.stateOf(memory, length, [[tanh(this.first(mean, 1))]]);
  }

  /** Red, green, blue, column and row of each pixel, from -1 to 1. @param {ArrayLike<number>} pixels @returns {Grid} */
  _planes(pixels) {
    const { size } = this;
    const count = size * size;
    const planes = new Float32Array(5 * count);
    for (let i = 0; i < count; i++) {
      for (const [plane, shift] of [16, 8, 0].entries())
        planes[plane * count + i] = ((pixels[i] >> shift) & 255) / 127.5 - 1;
      planes[3 * count + i] = (2 * (i % size)) / (size - 1) - 1;
      planes[4 * count + i] = (2 * Math.floor(i / size)) / (size - 1) - 1;
    }
    return { planes, channels: 5, size };
  }
}
