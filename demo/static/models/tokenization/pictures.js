// Pictures as texts (a PNG in a `data:` URL) and as the pixels that a network reads.

const PREFIX = "data:image/png;base64,";
const SIGNATURE_BYTES = 8;
const CHANNELS = /** @type {Record<number, number>} */ ({ 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }); // keys are colour types
const WHITE = 255;

/**
 * Return the pixels of a picture as 0xRRGGBB, row by row, on white where it is transparent. Throws an Error unless
 * the text is a PNG of `size` x `size` pixels with 8 bits for each channel.
 * @type {(text: string, size: number) => Promise<Int32Array>}
 */
export async function readPicture(text, size) {
  if (!text.startsWith(PREFIX)) throw new Error("This checkpoint reads pictures, not texts. Pick or draw one.");
  try {
    const bytes = Uint8Array.from(atob(text.slice(PREFIX.length)), (character) => character.charCodeAt(0));
    const { header, palette, data } = chunks(bytes);
    const [width, height] = [header.getUint32(0), header.getUint32(4)];
    if (width !== size || height !== size)
      throw new Error(`It has ${width} x ${height} pixels instead of ${size} x ${size}.`);
    const channels = CHANNELS[header.getUint8(9)];
    if (header.getUint8(8) !== 8 || header.getUint8(12))
      throw new Error("It is interlaced, or has not 8 bits a channel.");
    return colours(undoFilters(await inflate(data), size, channels), channels, palette);
  } catch (error) {
    const reason = error instanceof Error ? error.message : "";
    throw new Error(`The picture cannot be read. ${reason} Pick or draw another.`, { cause: error });
  }
}

/** @param {Uint8Array<ArrayBuffer>} bytes */
function chunks(bytes) {
  const view = new DataView(bytes.buffer);
  /** @type {Uint8Array[]} */
  const data = [];
  let header = new DataView(new ArrayBuffer(13));
  let palette = new Uint8Array(0);
  for (let start = SIGNATURE_BYTES; start < bytes.length; ) {
    const length = view.getUint32(start);
    const name = String.fromCharCode(...bytes.subarray(start + 4, start + 8));
    const content = bytes.subarray(start + 8, start + 8 + length);
    if (name === "IHDR") header = new DataView(bytes.buffer, start + 8, length);
    if (name === "PLTE") palette = content;
    if (name === "IDAT") data.push(content);
    start += length + 12;
  }
  return { header, palette, data };
}

/** @param {Uint8Array[]} parts */
async function inflate(parts) {
  const stream = new Blob(/** @type {BlobPart[]} */ (parts)).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/**
 * Undo the filter of each line: (size * size * channels).
 * @type {(lines: Uint8Array, size: number, channels: number) => Uint8Array}
 */
function undoFilters(lines, size, channels) {
  const width = size * channels;
  const result = new Uint8Array(size * width);
  for (let row = 0; row < size; row++) {
    const filter = lines[row * (width + 1)];
    for (let i = 0; i < width; i++) {
      const left = i < channels ? 0 : result[row * width + i - channels];
      const above = row ? result[(row - 1) * width + i] : 0;
      const corner = row && i >= channels ? result[(row - 1) * width + i - channels] : 0;
      const guess = [0, left, above, (left + above) >> 1, nearest(left, above, corner)][filter];
      result[row * width + i] = lines[row * (width + 1) + 1 + i] + guess;
    }
  }
  return result;
}

/**
 * The neighbour nearest to left + above - corner (Paeth).
 * @type {(left: number, above: number, corner: number) => number}
 */
function nearest(left, above, corner) {
  const neighbours = [left, above, corner];
  const distances = neighbours.map((neighbour) => Math.abs(left + above - corner - neighbour));
  return neighbours[distances.indexOf(Math.min(...distances))];
}

/** @type {(values: Uint8Array, channels: number, palette: Uint8Array) => Int32Array} */
function colours(values, channels, palette) {
  return Int32Array.from({ length: values.length / channels }, (_, i) => {
    const start = i * channels;
    const value = values[start];
    let rgb = channels > 2 ? [...values.subarray(start, start + 3)] : [value, value, value];
    if (channels === 1 && palette.length) rgb = [...palette.subarray(3 * value, 3 * value + 3)];
    const opacity = channels % 2 ? 1 : values[start + channels - 1] / 255;
    const [red, green, blue] = rgb.map((part) => Math.round(part * opacity + WHITE * (1 - opacity)));
    return (red << 16) | (green << 8) | blue;
  });
}
