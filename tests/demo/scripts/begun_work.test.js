// Work of the server that is followed by a stream: the latest answers, and earlier answers are dropped.
import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { createWork } from "../../../demo/widgets/answers/begun_work.js";

/** @type {any[]} */
let streams = [];

beforeEach(() => {
  streams = [];
  Object.assign(globalThis, {
    document: { baseURI: "https://page.example/space/" },
    EventSource: class {
      /** @param {URL} address */
      constructor(address) {
        Object.assign(this, { address: address.href, isOpen: true });
        streams.push(this);
      }

      close() {
        Object.assign(this, { isOpen: false });
      }
    },
  });
});

const SLOW = { progress: "Getting ready.", address: "states/key" };
const settled = () => new Promise((done) => setTimeout(done));
/** @param {object} state */
const send = (state) => streams.at(-1).onmessage({ data: JSON.stringify(state) });

test("an answer that is ready at once opens no stream", async () => {
  assert.deepEqual(await createWork().ask(async () => ({ trace: 1 })), { trace: 1 });
  assert.deepEqual(streams, []);
});

test("progress is reported until the last state, which closes the stream", async () => {
  /** @type {string[]} */
  const reports = [];
  const answer = createWork().ask(
    async () => SLOW,
    (text) => reports.push(text),
  );
  await settled();
  assert.equal(streams[0].address, "https://page.example/space/states/key");
  send({ progress: "Half." });
  send({ trace: 2 });
  assert.deepEqual(await answer, { trace: 2 });
  assert.deepEqual(reports, ["Getting ready.", "Half."]);
  assert.equal(streams[0].isOpen, false);
});

test("later work takes the place of earlier work, followed or not", async () => {
  const work = createWork();
  const followed = work.ask(async () => SLOW);
  await settled();
  /** @type {(state: object) => void} */
  let letGo = () => {};
  const late = new Promise((done) => {
    letGo = done;
  });
  const unanswered = work.ask(() => late);
  assert.equal(await followed, null);
  assert.equal(streams[0].isOpen, false);
  const latest = work.ask(async () => ({ trace: 3 }));
  assert.equal(await unanswered, null);
  letGo(SLOW);
  assert.deepEqual(await latest, { trace: 3 });
  assert.equal(streams.length, 1); // nobody follows the late answer
});

test("work that the page leaves is not answered", async () => {
  const work = createWork();
  work.leave();
  const answer = work.ask(async () => SLOW);
  await settled();
  work.leave();
  assert.equal(await answer, null);
  assert.equal(streams[0].isOpen, false);
});

test("a request or a stream that fails is reported", async () => {
  const work = createWork();
  await assert.rejects(work.ask(() => Promise.reject(new Error("no connection"))));
  const answer = work.ask(async () => SLOW);
  await settled();
  streams[0].onerror();
  await assert.rejects(answer);
  assert.equal(streams[0].isOpen, false);
});
