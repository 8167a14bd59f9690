// @ts-check
// A file of the reader's, made small enough for one request. Knows no element.
import { t } from "../shared/translate.js";

const MOST_BYTES = 64e6; // of a file: more is not even read
const MOST_SENT = 1e6; // characters of one request: MAX_BODY_BYTES of demo/operator/caps.py
const CHUNK = 0x8000; // bytes that one call takes as its arguments

/**
 * @param {Blob} file
 * @returns {Promise<string>} gzip in base64
 */
export async function packed(file) {
  const told = { size: (file.size / 1e6).toFixed(1) };
  if (file.size > MOST_BYTES) throw new RangeError(t("The file is too large to be opened here: {size} MB.", told));
  const stream = file.stream().pipeThrough(new CompressionStream("gzip"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const parts = [];
  for (let at = 0; at < bytes.length; at += CHUNK) parts.push(String.fromCharCode(...bytes.subarray(at, at + CHUNK)));
  const text = btoa(parts.join(""));
  if (text.length > MOST_SENT) throw new RangeError(t("The file is too large to be opened here: {size} MB.", told));
  return text;
}
