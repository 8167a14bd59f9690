// @ts-check
// What a downloaded page takes along of what the server has told.
import assert from "node:assert/strict";
import { test } from "node:test";
import { answering, answersText } from "../../../demo/views/trace/reading/told.js";

const asked = { text: "a", step: 1 };
const key = JSON.stringify(asked);

test("what several cards were told is answered again, and nothing else", async () => {
  const text = answersText([
    { why: { [key]: { value: 1 } } },
    {},
    { inspect: { other: { told: ["x"] } } },
    { inspect: {} },
  ]);
  const server = answering(text);
  assert.deepEqual(await server.why(asked), { value: 1 });
  assert.equal(server.why({ ...asked, step: 2 }), undefined);
  assert.deepEqual(Object.keys(server), ["why", "inspect"]);
});

test("no text of a user ends the script that it stands in", async () => {
  const hostile = { refused: "</script><script>alert(1)</script>" };
  const text = answersText([{ why: { [key]: hostile } }]);
  assert.ok(!text.includes("<"));
  assert.deepEqual(await answering(text).why(asked), hostile);
});
