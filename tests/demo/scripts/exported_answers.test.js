// @ts-check
// The server's answers in an exported page.
import assert from "node:assert/strict";
import { test } from "node:test";
import { answering, answersText } from "../../../demo/trace/export/downloads.js";

const question = { text: "a", step: 1 };
const key = JSON.stringify(question);

test("an exported page repeats the answers of its cards and has no others", async () => {
  const text = answersText([
    { why: { [key]: { value: 1 } } },
    {},
    { inspect: { other: { told: ["x"] } } },
    { inspect: {} },
  ]);
  const server = answering(text);
  assert.deepEqual(await server.why(question), { value: 1 });
  assert.equal(server.why({ ...question, step: 2 }), undefined);
  assert.deepEqual(Object.keys(server), ["why", "inspect"]);
});

test("no text of a user ends the script element around it", async () => {
  const hostile = { refused: "</script><script>alert(1)</script>" };
  const text = answersText([{ why: { [key]: hostile } }]);
  assert.ok(!text.includes("<"));
  assert.deepEqual(await answering(text).why(question), hostile);
});
