// The product of some rows with a matrix, by WebAssembly with 128-bit SIMD, or in JavaScript where that is missing.

import { PRODUCT_WASM } from "./product_wasm.js";

/** @typedef {(x: Float32Array, numRows: number) => Float32Array} Product  (R * inputs) -> (R * outputs) */

const FLOAT_BYTES = 4;
const ALIGNMENT = 16; // bytes, as SIMD loads them
const PAGE_BYTES = 1 << 16;

class Arena {
  /** The memory of the WebAssembly module: weights from its beginning, the rows of one product behind them. */
  constructor() {
    this.memory = new WebAssembly.Memory({ initial: 1 });
    const module = new WebAssembly.Module(PRODUCT_WASM);
    const { exports } = new WebAssembly.Instance(module, { env: { memory: this.memory } });
    /** @type {(x: number, weight: number, result: number, numRows: number, inputs: number, outputs: number) => void} */
    this.multiply = /** @type {any} */ (exports).product;
    this.used = 0; // bytes that weights take
  }

  /** Keep numbers for good, and return their address. @param {Float32Array} numbers */
  keep(numbers) {
    const address = this.used;
    this.used += Math.ceil((numbers.length * FLOAT_BYTES) / ALIGNMENT) * ALIGNMENT;
    this.reserve(this.used);
    this.view(address, numbers.length).set(numbers);
    return address;
  }

  /** @param {number} bytes */
  reserve(bytes) {
    const missing = bytes - this.memory.buffer.byteLength;
    if (missing > 0) this.memory.grow(Math.ceil(missing / PAGE_BYTES));
  }

  /** @param {number} address @param {number} length */
  view(address, length) {
    return new Float32Array(this.memory.buffer, address, length);
  }
}

/** @type {Arena | null | undefined} */
let arena;

/** Return the memory that products share; null if this browser has no SIMD. */
function sharedArena() {
  if (arena === undefined) {
    try {
      arena = new Arena();
    } catch {
      arena = null;
    }
  }
  return arena;
}

/** Keep the weights of the next network in memory of its own, which is freed with the network. */
export function newArena() {
  if (arena) arena = undefined;
}

/** Whether products run in WebAssembly. */
export const isFast = () => sharedArena() !== null;

/**
 * Return the product of rows with a matrix (O, I), transposed.
 * @type {(weight: Float32Array, outputs: number, inputs: number) => Product}
 */
export function product(weight, outputs, inputs) {
  const shared = sharedArena();
  if (!shared || inputs % ALIGNMENT) return (x, numRows) => inJavaScript(x, numRows, weight, outputs, inputs);
  const address = shared.keep(weight);
  return (x, numRows) => {
    const [from, to] = [shared.used, shared.used + numRows * inputs * FLOAT_BYTES];
    shared.reserve(to + numRows * outputs * FLOAT_BYTES);
    shared.view(from, numRows * inputs).set(x);
    shared.multiply(from, address, to, numRows, inputs, outputs);
    return shared.view(to, numRows * outputs).slice();
  };
}

/** @type {(x: Float32Array, numRows: number, weight: Float32Array, outputs: number, inputs: number) => Float32Array} */
function inJavaScript(x, numRows, weight, outputs, inputs) {
  const result = new Float32Array(numRows * outputs);
  const even = inputs - (inputs % 4);
  for (let output = 0; output < outputs; output++) {
    const line = output * inputs;
    for (let row = 0; row < numRows; row++) {
      const start = row * inputs;
      let [a, b, c, d] = [0, 0, 0, 0]; // four sums, so that no addition waits for another one
      for (let i = 0; i < even; i += 4) {
        a += weight[line + i] * x[start + i];
        b += weight[line + i + 1] * x[start + i + 1];
        c += weight[line + i + 2] * x[start + i + 2];
        d += weight[line + i + 3] * x[start + i + 3];
      }
      for (let i = even; i < inputs; i++) a += weight[line + i] * x[start + i];
      result[row * outputs + output] = a + b + c + d;
    }
  }
  return result;
}
