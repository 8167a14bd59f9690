// Finds the terms of the glossary in texts of any alphabet, and by a few letters.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createFinder, search } from "../../../demo/widgets/glossary/terms.js";

const TERMS = [
  [["beam search", "beam", "beams"], "Follow the best few beginnings."],
  [["nats", "nat"], "The unit of log-probabilities."],
  [["length penalty", "α", "alpha"], "How much longer outputs are favoured."],
  [["end token", "</s>"], "The model is done."],
  [["underscore", "▁", "␣"], "The space before a word."],
  [["束搜索", "束"], "同时跟踪几个开头。"],
];
const matches = (text) => createFinder(TERMS)(text).map(({ start, end, term }) => [text.slice(start, end), term]);

test("the longest form of a term is found, in upper or lower case", () => {
  assert.deepEqual(matches("Beam search and beams, one beam"), [
    ["Beam search", 0],
    ["beams", 0],
    ["beam", 0],
  ]);
});

test("a term is a whole word, also beside brackets and digits", () => {
  assert.deepEqual(matches("natural, alphabet, moonbeam, beam4, case:lc|beam:no"), []);
  assert.deepEqual(matches("(−0.53 nats), α=0"), [
    ["nats", 1],
    ["α", 2],
  ]);
});

test("signs and Chinese words need no gaps around them", () => {
  assert.deepEqual(matches("“␣the</s>” 用束搜索找到"), [
    ["␣", 4],
    ["</s>", 3],
    ["束搜索", 5],
  ]);
});

test("a Chinese term within a longer word is none", () => {
  const heads = createFinder([[["注意力头", "头"], "注意力的一部分。"]]);
  assert.deepEqual(heads("句子的开头，从不回头，关掉这个头"), [{ start: 15, end: 16, term: 0, name: "注意力头" }]);
});

test("a glossary without terms finds no term", () => {
  assert.deepEqual(createFinder([])("beam"), []);
});

test("a search lists matching names before matching meanings", () => {
  const names = (letters) => search(TERMS, letters).map(([[name]]) => name);
  assert.deepEqual(names("  LENGTH"), ["length penalty"]);
  assert.deepEqual(names("the"), ["beam search", "nats", "end token", "underscore"]);
  assert.deepEqual(names("to"), ["end token"]);
  assert.equal(names("").length, TERMS.length);
  assert.deepEqual(names("(.*"), []);
});
