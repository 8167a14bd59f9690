// The end of a lesson: a reader's predictions as texts beside the answers.
import assert from "node:assert/strict";
import { test } from "node:test";

import { textsOf } from "../../../demo/learn/dock/lazy/quiz.js";

test("a chosen option is shown with the right one", () => {
  const line = { prediction: { kind: "choose", options: ["one", "two"] }, answer: 1 };
  assert.deepEqual(textsOf(line, 0), { own: "one", right: "two", same: false });
  assert.deepEqual(textsOf(line, 1), { own: "two", right: "two", same: true });
});

test("a number is shown with the text of the answer", () => {
  const line = { prediction: { kind: "number", options: [] }, answer: 28.204, shown: "28.20" };
  assert.deepEqual(textsOf(line, 25), { own: "25", right: "28.20", same: false });
});

test("an order is shown as a list of its lines", () => {
  const line = { prediction: { kind: "order", options: ["a", "b", "c"] }, answer: [2, 0, 1] };
  assert.deepEqual(textsOf(line, [0, 1, 2]), { own: "a > b > c", right: "c > a > b", same: false });
  assert.ok(textsOf(line, [2, 0, 1]).same);
});

test("a typed word is shown with the most probable one", () => {
  const line = { prediction: { kind: "type", options: [] }, answer: { columns: ["␣mat", "␣rug"], values: [60, 40] } };
  assert.deepEqual(textsOf(line, "Rug"), { own: "Rug", right: "␣mat", same: false });
  assert.ok(textsOf(line, "Mat").same);
});
