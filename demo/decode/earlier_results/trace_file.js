// @ts-check
// Compresses a reader's file for a single request.
import { numberText } from "../../widgets/view/numbers.js";
import { t } from "../../widgets/view/translate.js";

const MAX_BYTES = 64e6; // a larger file is not read
const MAX_SENT_CHARACTERS = 1e6; // characters of a request: MAX_BODY_BYTES of demo/work/operator/caps.py
const CHUNK_ARGUMENTS = 0x8000; // arguments of one function call

/**
 * @param {Blob} file
 * @returns {Promise<string>} gzip in base64
 */
export async function pack(file) {
  const fields = { size: numberText(file.size / 1e6, 1) };
  if (file.size > MAX_BYTES) throw new RangeError(t("The file is too large to be opened here: {size} MB.", fields));
  const stream = file.stream().pipeThrough(new CompressionStream("gzip"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const parts = [];
  for (let start = 0; start < bytes.length; start += CHUNK_ARGUMENTS)
    parts.push(String.fromCharCode(...bytes.subarray(start, start + CHUNK_ARGUMENTS)));
  const text = btoa(parts.join(""));
  if (text.length > MAX_SENT_CHARACTERS)
    throw new RangeError(t("The file is too large to be opened here: {size} MB.", fields));
  return text;
}
