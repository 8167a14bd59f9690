// Image captioning: a convolutional encoder under the recurrent decoder (Xu et al. 2015).

import { affine, linear, tanh } from "../linear.js";
import { RecurrentDecoder } from "./recurrent.js";

/** @typedef {import("../weights.js").Weights} Weights */
/** @typedef {{ planes: Float32Array, channels: number, size: number }} Grid  planes (C * size * size) */

const GROUPS = 4; // the channels of a group are normalised together
const NORM_EPSILON = 1e-5;
const KERNEL = 3; // cells on a side
const LAYERS_EACH = 3; // a convolution, its normalisation and its activation, in the checkpoint's numbering

/** A convolution of 3 x 3 with padding 1, group normalisation, and ReLU. */
class Convolution {
  /**
   * @param {Weights} weights
   * @param {number} number
   * @param {number} stride
   */
  constructor(weights, number, stride) {
    const [first, norm] = [LAYERS_EACH * number, LAYERS_EACH * number + 1];
    const { data, shape } = weights[`encoder.${first}.weight`];
    this.outputs = shape[0];
    const patch = shape[1] * KERNEL * KERNEL;
    this.multiply = affine({ data, shape: [this.outputs, patch] }, weights[`encoder.${first}.bias`]);
    this.scale = weights[`encoder.${norm}.weight`].data;
    this.shift = weights[`encoder.${norm}.bias`].data;
    this.stride = stride;
  }

  /** @param {Grid} grid @returns {Grid} */
  of(grid) {
    const size = Math.ceil(grid.size / this.stride);
    const cells = size * size;
    const products = this.multiply(patches(grid, size, this.stride), cells); // (cells * outputs)
    const planes = new Float32Array(this.outputs * cells);
    for (let cell = 0; cell < cells; cell++)
      for (let channel = 0; channel < this.outputs; channel++)
        planes[channel * cells + cell] = products[cell * this.outputs + channel];
    this._normalise(planes, cells);
    return { planes, channels: this.outputs, size };
  }

  /**
   * Normalise each group of channels, then apply ReLU, in place.
   *
   * @param {Float32Array} planes
   * @param {number} cells
   */
  _normalise(planes, cells) {
    const width = planes.length / GROUPS;
    for (let start = 0; start < planes.length; start += width) {
      let [sum, squares] = [0, 0];
      for (let i = start; i < start + width; i++) sum += planes[i];
      const mean = sum / width;
      for (let i = start; i < start + width; i++) squares += (planes[i] - mean) ** 2;
      const factor = 1 / Math.sqrt(squares / width + NORM_EPSILON);
      for (let i = start; i < start + width; i++) {
        const channel = Math.floor(i / cells);
        planes[i] = Math.max(0, (planes[i] - mean) * factor * this.scale[channel] + this.shift[channel]);
      }
    }
  }
}

/**
 * The 3 x 3 surroundings of each cell, zero beyond the border: (cells * channels * 9).
 *
 * @param {Grid} grid
 * @param {number} size
 * @param {number} stride
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
  /**
   * @param {{ picture_size: number, cells: number, d_model: number }} config
   * @param {Weights} weights
   */
  constructor(config, weights) {
    super(config, weights);
    this.size = config.picture_size;
    const halvings = Math.log2(config.picture_size / config.cells);
    this.encoder = Array.from({ length: halvings + 1 }, (_, i) => new Convolution(weights, i, i < halvings ? 2 : 1));
    this.first = linear(weights, "start");
  }

  /** @param {ArrayLike<number>} source  the pixels as 0xRRGGBB, row by row */
  initialState(source) {
    const grid = this.encoder.reduce((before, layer) => layer.of(before), this._planes(source));
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
