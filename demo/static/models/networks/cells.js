// Recurrent cells: one step of one layer. The names and formulas are those of models/networks/cells.

import { sigmoid } from "../linear.js";

/**
 * One kind of recurrent unit. A step takes the projections of the input and of the state, each (R * gates * D),
 * and the state before, each part (R * D), and returns the state after. The first part is the cell's output.
 * @typedef {object} Cell
 * @property {number} states  parts of its state
 * @property {(inputs: Float32Array, recurrent: Float32Array, before: Float32Array[], width: number) => Float32Array[]} step
 */

/** The simple recurrent network (Elman 1990). @type {Cell} */
const RNN = {
  states: 1,
  step: (inputs, recurrent) => [inputs.map((value, i) => Math.tanh(value + recurrent[i]))],
};

/** The gated recurrent unit (Cho et al. 2014), the reset gate after the product. @type {Cell} */
const GRU = {
  states: 1,
  step(inputs, recurrent, [before], width) {
    const after = new Float32Array(before.length);
    for (let i = 0; i < after.length; i++) {
      const reset = Math.floor(i / width) * 3 * width + (i % width);
      const [update, candidate] = [reset + width, reset + 2 * width];
      const proposed = Math.tanh(inputs[candidate] + sigmoid(inputs[reset] + recurrent[reset]) * recurrent[candidate]);
      const updateGate = sigmoid(inputs[update] + recurrent[update]);
      after[i] = proposed + updateGate * (before[i] - proposed);
    }
    return [after];
  },
};

/** Long short-term memory (Hochreiter and Schmidhuber 1997), with a forget gate. @type {Cell} */
const LSTM = {
  states: 2,
  step(inputs, recurrent, [before, cellBefore], width) {
    const [after, cellAfter] = [new Float32Array(before.length), new Float32Array(before.length)];
    for (let i = 0; i < after.length; i++) {
      const first = Math.floor(i / width) * 4 * width + (i % width);
      const [input, forget, cell, output] = [0, 1, 2, 3].map((gate) => {
        const index = first + gate * width;
        return inputs[index] + recurrent[index];
      });
      cellAfter[i] = sigmoid(forget) * cellBefore[i] + sigmoid(input) * Math.tanh(cell);
      after[i] = sigmoid(output) * Math.tanh(cellAfter[i]);
    }
    return [after, cellAfter];
  },
};

export const CELLS = { rnn: RNN, gru: GRU, lstm: LSTM };
