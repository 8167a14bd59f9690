// Decodes the cases of a file as the page without a server does, and prints the traces.
// node decode.mjs CHECKPOINT CASES [--javascript]

import { readFileSync } from "node:fs";
import { decode } from "../../../demo/static/models/decode.js";
import { buildModel } from "../../../demo/static/models/networks/network.js";
import { Tokenizer } from "../../../demo/static/models/tokenization/tokenizer.js";
import { readWeights } from "../../../demo/static/models/weights.js";

const [folder, cases, flag] = process.argv.slice(2);
if (flag === "--javascript") Reflect.deleteProperty(globalThis, "WebAssembly");
const read = (/** @type {string} */ name) => JSON.parse(readFileSync(`${folder}/${name}`, "utf8"));
const { buffer, byteOffset, byteLength } = readFileSync(`${folder}/model.safetensors`);
const network = buildModel(read("config.json"), readWeights(buffer.slice(byteOffset, byteOffset + byteLength)));
const tokenizer = new Tokenizer(read("tokenizer.json"));
const results = [];
for (const { text, options, intervention } of JSON.parse(readFileSync(cases, "utf8"))) {
  try {
    results.push(await decode({ network, tokenizer }, text, options, intervention));
  } catch (error) {
    results.push({ error: String(error) });
  }
}
process.stdout.write(JSON.stringify(results));
