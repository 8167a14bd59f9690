// What a step of a lesson asks for, read from what a link to the page would say.
import assert from "node:assert/strict";
import { test } from "node:test";

import { isDone, valuesOf } from "../../../demo/views/lesson/late/done.js";

const DEFAULTS = { strategy: "beam", beam_size: 4 };
const before = valuesOf("tab=decode&text=hola&step=3", DEFAULTS);

test("a condition compares what is on show", () => {
  const now = valuesOf("tab=decode&text=hola&step=11&strategy=greedy", DEFAULTS);
  assert.ok(isDone("strategy=greedy", now, before));
  assert.ok(isDone("strategy=greedy & step>=11", now, before));
  assert.ok(!isDone("strategy=greedy & step>11", now, before));
  assert.ok(isDone("beam_size<=4", now, before)); // a link leaves defaults out
  assert.ok(!isDone("min_length>=0", now, before)); // nothing is no number
  assert.ok(!isDone("nonsense", now, before));
});

test("another text is one that differs from the step's own", () => {
  assert.ok(!isDone("text!=", valuesOf("text=hola", DEFAULTS), before));
  assert.ok(isDone("text!=", valuesOf("text=adios", DEFAULTS), before));
  assert.ok(isDone("strategy!=greedy", valuesOf("", DEFAULTS), before));
});

test("what is chosen in a lab or a view has its name before it", () => {
  const now = valuesOf("tab=learn&lab=ngrams,order:3,text:a%2Cb", DEFAULTS);
  assert.ok(isDone("lab=ngrams & lab.order>=3", now, before));
  assert.ok(isDone("inspect=heads & inspect.kind=cross", valuesOf("inspect=heads,kind:cross", DEFAULTS), before));
});
