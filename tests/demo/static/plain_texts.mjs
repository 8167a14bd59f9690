// Prints the plain texts of a file of texts, as the page without a server reads them.

import { readFileSync } from "node:fs";
import { plainText } from "../../../demo/static/models/tokenization/plain_text.js";

const texts = JSON.parse(readFileSync(process.argv[2], "utf8"));
const results = texts.map((/** @type {string} */ text) => {
  const { typed, characters, spans } = plainText(text);
  return [typed, characters.join(""), spans.map(({ start }) => start), spans.map(({ end }) => end)];
});
process.stdout.write(JSON.stringify(results));
