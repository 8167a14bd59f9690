// Which values of a late answer are filled in, without a page.
import assert from "node:assert/strict";
import { test } from "node:test";
import { fillIn, forgetQuestion, hasOpenQuestions, sendQuestion } from "../../../demo/page/scripts/late_answers.js";

const [CHECKPOINT, TEXT, STRATEGY] = [1, 2, 3];
const FORM = [CHECKPOINT, TEXT, STRATEGY];
const KEPT = { __type__: "update" };

test("a question sends its own values and its number instead of the controls' values", () => {
  const [own, number, ...others] = sendQuestion(FORM, 1, ["own", "gru", "hola", "beam"]);
  assert.equal(own, "own");
  assert.equal(typeof number, "number");
  assert.deepEqual(others, [null, null]);
  forgetQuestion(FORM);
  assert.equal(hasOpenQuestions(), false);
});

test("a control that has changed since the question keeps its value", () => {
  const [number] = sendQuestion(FORM, 0, ["gru", "hola", "beam"]);
  assert.equal(hasOpenQuestions(), true);
  const values = fillIn(FORM, CHECKPOINT, { number, values: ["lstm", "adiós", "exact"] }, ["gru", "hola", "greedy"]);
  assert.deepEqual(values, ["lstm", "adiós", KEPT]);
  assert.equal(hasOpenQuestions(), false);
});

test("an answer for another checkpoint changes no control", () => {
  const [number] = sendQuestion([TEXT, CHECKPOINT], 0, ["hola", "lstm"]);
  assert.deepEqual(fillIn([TEXT, CHECKPOINT], CHECKPOINT, { number, values: ["adiós"] }, ["hola", "gru"]), [KEPT]);
});

test("the answer to the later question stays in any order of arrival", () => {
  const [first] = sendQuestion([TEXT], 0, ["hola"]);
  const [second] = sendQuestion([TEXT], 0, ["hola"]);
  assert.deepEqual(fillIn([TEXT], null, { number: first, values: ["one"] }, ["hola"]), ["one"]);
  assert.deepEqual(fillIn([TEXT], null, { number: second, values: ["two"] }, ["one"]), ["two"]);

  const [third] = sendQuestion([TEXT], 0, ["two"]);
  const [fourth] = sendQuestion([TEXT], 0, ["two"]);
  assert.deepEqual(fillIn([TEXT], null, { number: fourth, values: ["four"] }, ["two"]), ["four"]);
  assert.deepEqual(fillIn([TEXT], null, { number: third, values: ["three"] }, ["four"]), [KEPT]);
});

test("the value of an update counts as filled in for later questions", () => {
  const update = { __type__: "update", value: "one", maximum: 9 };
  const [first] = sendQuestion([TEXT], 0, ["hola"]);
  const [second] = sendQuestion([TEXT], 0, ["hola"]);
  assert.deepEqual(fillIn([TEXT], null, { number: first, values: [update] }, ["hola"]), [update]);
  assert.deepEqual(fillIn([TEXT], null, { number: second, values: ["two"] }, ["one"]), ["two"]);
});

test("a value that the control has already is not written again", () => {
  const [number] = sendQuestion(FORM, 0, ["gru", "", "beam"]);
  const update = { __type__: "update", value: "beam", maximum: 9 };
  assert.deepEqual(fillIn(FORM, null, { number, values: ["lstm", null, update] }, ["gru", "", "beam"]), [
    "lstm",
    KEPT,
    { __type__: "update", maximum: 9 },
  ]);
});
