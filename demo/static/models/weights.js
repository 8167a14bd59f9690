// Weights of a checkpoint: the tensors of a safetensors file, as 32-bit floats.

/** @typedef {{ data: Float32Array, shape: number[] }} Tensor */
/** @typedef {Record<string, Tensor>} Weights  tensors by their names in the checkpoint */

const LENGTH_BYTES = 8; // the file begins with the length of its header
const READERS = {
  F16: (/** @type {ArrayBuffer} */ buffer) => Float32Array.from(new Uint16Array(buffer), (bits) => halves()[bits]),
  F32: (/** @type {ArrayBuffer} */ buffer) => new Float32Array(buffer),
};

/** @type {Float32Array | undefined} */
let halvesTable;

/** Return the value of each of the 65,536 numbers in half precision, by its bits. */
function halves() {
  halvesTable ??= Float32Array.from({ length: 1 << 16 }, (_, bits) => {
    const [sign, exponent, fraction] = [bits >> 15 ? -1 : 1, (bits >> 10) & 31, (bits & 1023) / 1024];
    if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
    return sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction) : 2 ** -14 * fraction);
  });
  return halvesTable;
}

/**
 * Return the tensors of a safetensors file. Throws an Error for a damaged file or another type of numbers.
 * @param {ArrayBuffer} buffer  the bytes of the file
 * @returns {Weights}
 */
export function readWeights(buffer) {
  const header = readHeader(buffer);
  /** @type {Weights} */
  const weights = {};
  for (const [name, { dtype, shape, data_offsets: offsets }] of Object.entries(header.tensors)) {
    const read = READERS[/** @type {keyof READERS} */ (dtype)];
    if (!read) throw new Error(`The weights hold numbers of type ${dtype}; this page reads F16 and F32.`);
    const [start, end] = offsets.map((/** @type {number} */ offset) => header.end + offset);
    const data = end <= buffer.byteLength ? read(buffer.slice(start, end)) : new Float32Array(0);
    if (data.length !== shape.reduce((/** @type {number} */ product, /** @type {number} */ size) => product * size, 1))
      throw new Error("The file of weights is incomplete. Load the page again.");
    weights[name] = { data, shape };
  }
  return weights;
}

/** @param {ArrayBuffer} buffer */
function readHeader(buffer) {
  try {
    const end = LENGTH_BYTES + Number(new DataView(buffer).getBigUint64(0, true));
    const { __metadata__: _, ...tensors } = JSON.parse(
      new TextDecoder().decode(new Uint8Array(buffer, LENGTH_BYTES, end - LENGTH_BYTES)),
    );
    return { end, tensors };
  } catch (error) {
    throw new Error("This is not a file of weights. Load the page again.", { cause: error });
  }
}
