// Which sentence goes from tab to tab, and which reference belongs to a text, without a page.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createBelonging } from "../../../demo/views/compare/reference.js";
import { createSentences } from "../../../demo/views/page/decoding/sentences.js";

const TABS = ["decode", "compare"];
const hola = { checkpoint: "spa", text: "hola" };
const adios = { checkpoint: "spa", text: "adiós" };

test("a tab takes the sentence of the other one, once", () => {
  const sentences = createSentences(TABS);
  assert.equal(sentences.take("compare"), null);
  sentences.used("decode", hola);
  assert.equal(sentences.take("decode"), null);
  assert.deepEqual(sentences.take("compare"), hola);
  assert.equal(sentences.take("compare"), null);
});

test("a tab without a sentence takes none away", () => {
  const sentences = createSentences(TABS);
  sentences.used("decode", hola);
  assert.equal(sentences.take("training"), null);
  assert.deepEqual(sentences.take("compare"), hola);
});

test("what came over does not go back, and what was asked for there does", () => {
  const sentences = createSentences(TABS);
  sentences.used("decode", hola);
  sentences.take("compare");
  sentences.used("compare", hola);
  assert.equal(sentences.take("decode"), null);
  sentences.used("compare", { ...hola, checkpoint: "other" });
  assert.deepEqual(sentences.take("decode"), { ...hola, checkpoint: "other" });
});

test("what the reader has written and not asked for yet stays", () => {
  const sentences = createSentences(TABS);
  sentences.used("decode", hola);
  sentences.write("compare");
  assert.equal(sentences.take("compare"), null);
  sentences.used("compare", adios);
  assert.deepEqual(sentences.take("decode"), adios);
  sentences.used("decode", hola);
  assert.deepEqual(sentences.take("compare"), hola);
});

test("a picture is no sentence", () => {
  const sentences = createSentences(TABS);
  sentences.used("decode", { checkpoint: "shapes", text: "data:image/png;base64,AAAA" });
  assert.equal(sentences.take("compare"), null);
});

test("an unchanged reference of another text is put aside, and may be taken back", () => {
  const belonging = createBelonging();
  assert.equal(belonging.checked({ text: "hola", reference: "hello" }), "hello");
  assert.equal(belonging.checked({ text: "hola", reference: "hello" }), "hello");
  assert.equal(belonging.checked({ text: "adiós", reference: "hello" }), "");
  assert.equal(belonging.checked({ text: "adiós", reference: "hello" }), "hello");
});

test("a reference that the reader has changed is theirs, whichever was typed first", () => {
  const belonging = createBelonging();
  belonging.checked({ text: "hola", reference: "hello" });
  assert.equal(belonging.checked({ text: "adiós", reference: "goodbye" }), "goodbye");
});

test("text and reference of an example belong together without being compared", () => {
  const belonging = createBelonging();
  belonging.checked({ text: "hola", reference: "hello" });
  belonging.filledIn({ text: "adiós", reference: "goodbye" });
  assert.equal(belonging.checked({ text: "gracias", reference: "goodbye" }), "");
});

test("another variant of the checkpoint makes no reference belong to a text that was typed", () => {
  const belonging = createBelonging();
  belonging.checked({ text: "hola", reference: "hello" });
  belonging.filledIn({ text: "adiós", reference: "hello" });
  assert.equal(belonging.checked({ text: "adiós", reference: "hello" }), "");
});

test("an example that is chosen during a run is not forgotten for what the run still tells", () => {
  const belonging = createBelonging();
  belonging.compared("first", { text: "hola", reference: "hello" });
  belonging.filledIn({ text: "adiós", reference: "goodbye" });
  belonging.compared("first", { text: "hola", reference: "hello" });
  assert.equal(belonging.checked({ text: "gracias", reference: "goodbye" }), "");
});

test("the sentence that was asked last is known wherever it was asked", () => {
  const sentences = createSentences(TABS);
  assert.equal(sentences.newest(), null);
  sentences.used("decode", hola);
  sentences.used("compare", { checkpoint: "b", text: "adiós" });
  assert.deepEqual(sentences.newest(), { checkpoint: "b", text: "adiós" });
});
