// Which sentence goes from tab to tab, and which reference belongs to a text, without a page.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createBelonging } from "../../../demo/compare/view/form.js";
import { createSentences } from "../../../demo/page/scripts/carry.js";

const TABS = ["decode", "compare"];
const hola = { checkpoint: "spa", text: "hola" };
const adios = { checkpoint: "spa", text: "adiós" };

test("a tab takes the sentence of the other tab once", () => {
  const sentences = createSentences(TABS);
  assert.equal(sentences.take("compare"), null);
  sentences.used("decode", hola);
  assert.equal(sentences.take("decode"), null);
  assert.deepEqual(sentences.take("compare"), hola);
  assert.equal(sentences.take("compare"), null);
});

test("a tab without a text field does not take the sentence", () => {
  const sentences = createSentences(TABS);
  sentences.used("decode", hola);
  assert.equal(sentences.take("training"), null);
  assert.deepEqual(sentences.take("compare"), hola);
});

test("a carried sentence does not go back, and a new one does", () => {
  const sentences = createSentences(TABS);
  sentences.used("decode", hola);
  sentences.take("compare");
  sentences.used("compare", hola);
  assert.equal(sentences.take("decode"), null);
  sentences.used("compare", { ...hola, checkpoint: "other" });
  assert.deepEqual(sentences.take("decode"), { ...hola, checkpoint: "other" });
});

test("a slow result of a carried sentence does not replace the reader's next one", () => {
  const sentences = createSentences(TABS);
  sentences.used("decode", hola);
  sentences.take("compare");
  sentences.used("decode", adios);
  sentences.used("compare", hola);
  assert.deepEqual(sentences.take("compare"), adios);
});

test("a tab that shows its sentence again after a reload does not take it from the other tab", () => {
  const sentences = createSentences(TABS);
  sentences.restored("decode", { ...hola, settings: {} });
  assert.equal(sentences.take("compare"), null);
  sentences.used("compare", hola);
  assert.equal(sentences.take("decode"), null);
  sentences.used("compare", adios);
  assert.deepEqual(sentences.take("decode"), adios);
});

test("a text that is not decoded yet is not replaced", () => {
  const sentences = createSentences(TABS);
  sentences.used("decode", hola);
  sentences.write("compare");
  assert.equal(sentences.take("compare"), null);
  sentences.used("compare", adios);
  assert.deepEqual(sentences.take("decode"), adios);
  sentences.used("decode", hola);
  assert.deepEqual(sentences.take("compare"), hola);
});

test("a picture is not carried to another tab", () => {
  const sentences = createSentences(TABS);
  sentences.used("decode", { checkpoint: "shapes", text: "data:image/png;base64,AAAA" });
  assert.equal(sentences.take("compare"), null);
});

test("an unchanged reference of another text is removed once", () => {
  const belonging = createBelonging();
  assert.equal(belonging.belongingReference({ text: "hola", reference: "hello" }), "hello");
  assert.equal(belonging.belongingReference({ text: "hola", reference: "hello" }), "hello");
  assert.equal(belonging.belongingReference({ text: "adiós", reference: "hello" }), "");
  assert.equal(belonging.belongingReference({ text: "adiós", reference: "hello" }), "hello");
});

test("a changed reference belongs to the new text", () => {
  const belonging = createBelonging();
  belonging.belongingReference({ text: "hola", reference: "hello" });
  assert.equal(belonging.belongingReference({ text: "adiós", reference: "goodbye" }), "goodbye");
});

test("text and reference of an example belong together before any comparison", () => {
  const belonging = createBelonging();
  belonging.belongingReference({ text: "hola", reference: "hello" });
  belonging.filledIn({ text: "adiós", reference: "goodbye" });
  assert.equal(belonging.belongingReference({ text: "gracias", reference: "goodbye" }), "");
});

test("filling in another variant does not make the reference belong to a typed text", () => {
  const belonging = createBelonging();
  belonging.belongingReference({ text: "hola", reference: "hello" });
  belonging.filledIn({ text: "adiós", reference: "hello" });
  assert.equal(belonging.belongingReference({ text: "adiós", reference: "hello" }), "");
});

test("a late update of a comparison does not replace the example chosen meanwhile", () => {
  const belonging = createBelonging();
  belonging.compared("first", { text: "hola", reference: "hello" });
  belonging.filledIn({ text: "adiós", reference: "goodbye" });
  belonging.compared("first", { text: "hola", reference: "hello" });
  assert.equal(belonging.belongingReference({ text: "gracias", reference: "goodbye" }), "");
});

test("the newest sentence is that of the last request in any tab", () => {
  const sentences = createSentences(TABS);
  assert.equal(sentences.newest(), null);
  sentences.used("decode", hola);
  sentences.used("compare", { checkpoint: "b", text: "adiós" });
  assert.deepEqual(sentences.newest(), { checkpoint: "b", text: "adiós" });
});
