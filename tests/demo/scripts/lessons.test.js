// The condition of a lesson's step, checked against the query of a link to the page.
import assert from "node:assert/strict";
import { test } from "node:test";

import { createArrival, isDone, valuesOf } from "../../../demo/learn/dock/lazy/completion.js";

const DEFAULTS = { strategy: "beam", beam_size: 4 };
const before = valuesOf("tab=decode&text=hola&step=3", DEFAULTS);

test("a condition compares the values on the page", () => {
  const now = valuesOf("tab=decode&text=hola&step=11&strategy=greedy", DEFAULTS);
  assert.ok(isDone("strategy=greedy", now, before));
  assert.ok(isDone("strategy=greedy & step>=11", now, before));
  assert.ok(!isDone("strategy=greedy & step>11", now, before));
  assert.ok(isDone("beam_size<=4", now, before)); // a link leaves defaults out
  assert.ok(!isDone("min_length>=0", now, before)); // nothing is no number
  assert.ok(!isDone("nonsense", now, before));
});

test("another text must differ from that of the step", () => {
  assert.ok(!isDone("text!=", valuesOf("text=hola", DEFAULTS), before));
  assert.ok(isDone("text!=", valuesOf("text=adios", DEFAULTS), before));
  assert.ok(isDone("strategy!=greedy", valuesOf("", DEFAULTS), before));
});

test("a lab's text is the same in every encoding of a link", () => {
  const before = valuesOf("?tab=learn&lab=lookup,text:hot%20cold", DEFAULTS);
  const now = valuesOf("tab=learn&lab=lookup,text:hot%2520cold", DEFAULTS);
  assert.equal(now["lab.text"], "hot cold");
  assert.ok(!isDone("lab=lookup & lab.text!=", now, before));
  assert.ok(isDone("lab.text!=", valuesOf("lab=lookup,text:warm%2C%20cool", DEFAULTS), before));
});

test("controls of a lab or a view are named with a prefix", () => {
  const now = valuesOf("tab=learn&lab=ngrams,order:3,text:a%2Cb", DEFAULTS);
  assert.ok(isDone("lab=ngrams & lab.order>=3", now, before));
  assert.ok(isDone("inspect=heads & inspect.kind=cross", valuesOf("inspect=heads,kind:cross", DEFAULTS), before));
});

test("values from before the arrival of a step's state do not count as actions", () => {
  const arrival = createArrival();
  const opened = { step: "2", text: "uno" };
  const stale = { step: "4", text: "uno" };
  arrival.opened();
  arrival.note(stale, opened);
  assert.ok(!arrival.isDone("step>=4", stale, opened));
  arrival.note({ step: "2", text: "uno" }, opened);
  assert.ok(arrival.isDone("step>=4", { step: "5", text: "uno" }, opened));
  arrival.opened();
  const before = { text: "dos" };
  assert.ok(!arrival.isDone("text!=", { text: "uno" }, before)); // the text of the step before
  arrival.note({ text: "dos" }, before);
  assert.ok(arrival.isDone("text!=", { text: "tres" }, before));
});

test("a condition that was unmet on the page can be met, however the link spells the state", () => {
  const arrival = createArrival();
  arrival.opened();
  assert.ok(!arrival.isDone("beam_size=2", { beam_size: "4" }, { beam_size: "04" }));
  assert.ok(arrival.isDone("beam_size=2", { beam_size: "2" }, { beam_size: "04" }));
});
