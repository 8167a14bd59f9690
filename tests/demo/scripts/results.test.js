// The results of a visit and the address of each, as far as they need no page.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { matchesComparison } from "../../../demo/compare/view/form.js";
import { pack } from "../../../demo/decode/earlier_results/trace_file.js";
import {
  MAX_RESULTS,
  matchesRequest,
  storedResults,
  storeResults,
  withDraft,
  withoutRepeats,
  withResult,
} from "../../../demo/decode/scripts/recent_results.js";
import { matchesEvaluation } from "../../../demo/evaluate/view/lazy/same_request.js";
import { ownQuery, withQuery } from "../../../demo/links/scripts/query.js";
import { isPlain } from "../../../demo/page/scripts/first_visit.js";

const result = (id, text = id, edits = 0) => ({
  id,
  request: { checkpoint: "c", text, settings: { beam_size: 4 } },
  labels: { strategy: "Beam 4", output: "a" },
  versions: { versions: Array.from({ length: 1 + edits }, () => ({ parent: null })), chosen: edits },
  view: {},
});
const ids = (results) => results.map(({ id }) => id);

test("the last results are kept, the newest first", () => {
  const names = Array.from({ length: MAX_RESULTS + 3 }, (_, index) => `result ${index}`);
  const stored = names.reduce((results, name) => withResult(results, result(name)), []);
  assert.equal(stored.length, MAX_RESULTS);
  assert.deepEqual(ids(stored), names.slice(3).reverse());
});

test("a repeated request replaces its earlier result unless that was edited", () => {
  const stored = [result("b"), result("a", "same"), result("edited", "same", 1)];
  assert.deepEqual(ids(withResult(stored, result("new", "same"))), ["new", "b", "edited"]);
  assert.deepEqual(ids(withResult(stored, result("new", "other"))), ["new", "b", "a", "edited"]);
});

test("an undecoded text is kept once and is not a repetition", () => {
  const draft = (id, text) => ({ ...result(id, text), versions: null });
  const stored = withDraft([result("a", "decoded")], draft("b", "typed"));
  assert.deepEqual(ids(stored), ["b", "a"]);
  assert.deepEqual(ids(withDraft(stored, draft("c", "typed"))), ["b", "a"]);
  assert.deepEqual(ids(withDraft(stored, draft("c", "decoded"))), ["b", "a"]);
  assert.deepEqual(ids(withResult(stored, result("d", "typed"))), ["d", "a"]);
});

test("a form matches a result with equal applicable settings", () => {
  const { request } = result("a", "hola");
  const form = { checkpoint: "c", text: "hola", beam_size: 4, temperature: 1 };
  assert.ok(matchesRequest(form, request));
  assert.ok(matchesRequest({ ...form, temperature: 2, text: "hola ", beam_size: "4" }, request));
  for (const change of [{ checkpoint: "d" }, { text: "adiós" }, { beam_size: 5 }, { beam_size: null }])
    assert.ok(!matchesRequest({ ...form, ...change }, request));
});

test("a form matches a comparison with equal mode, sources and strategies", () => {
  const defaults = { strategy: "beam", beam_size: 4 };
  const form = {
    mode: "strategies",
    checkpoint: "c",
    text: "hola",
    reference: "",
    other_checkpoint: "d",
    other_text: "adiós",
    strategies: [{ strategy: "greedy" }, { strategy: "beam", beam_size: 4 }],
    strategy: [{ strategy: "beam" }],
  };
  const rows = { ...form, strategies: [{ strategy: "greedy" }, { strategy: "beam", max_length: 60 }] };
  const sides = [
    { checkpoint: "c", text: "hola" },
    { checkpoint: "d", text: "hola" },
  ];
  const pair = { sides, settings: { strategy: "beam" } };
  assert.ok(matchesComparison(form, rows, defaults));
  assert.ok(matchesComparison({ ...form, mode: "checkpoints" }, pair, defaults));
  for (const change of [
    { text: "other" },
    { reference: "hello" },
    { mode: "checkpoints" },
    { strategies: [{ strategy: "greedy" }] },
    { strategies: [{ strategy: "greedy" }, { strategy: "beam", beam_size: 8 }] },
  ])
    assert.ok(!matchesComparison({ ...form, ...change }, rows, defaults));
  for (const change of [{ mode: "inputs" }, { other_checkpoint: "e" }, { strategy: [{ strategy: "greedy" }] }])
    assert.ok(!matchesComparison({ ...form, mode: "checkpoints", ...change }, pair, defaults));
});

test("a form matches an evaluation until a field of the request changes", () => {
  const path = (/** @type {string} */ name) => ({ path: name, url: `https://host/${name}` });
  const form = { checkpoints: ["c"], strategies: [{ strategy: "greedy" }], kind: "example", changes: 10 };
  const unused = { pasted: "hola\thello", columns: { roles: ["source"], chosen: true }, file: path("a.tsv") };
  assert.ok(matchesEvaluation({ ...form, ...unused }, form));
  for (const change of [
    { checkpoints: ["c", "d"] },
    { strategies: [{ strategy: "beam", beam_size: 4 }] },
    { kind: "paste" },
    { changes: 0 },
    { training: path("pairs.tsv") },
  ])
    assert.ok(!matchesEvaluation({ ...form, ...change }, form));
  const file = { ...form, kind: "file", file: path("a.tsv") };
  assert.ok(matchesEvaluation({ ...file, pasted: "other" }, file));
  assert.ok(!matchesEvaluation({ ...file, file: path("b.tsv") }, file));
  const understood = { ...file, columns: { roles: ["source", "reference"], chosen: false } };
  assert.ok(matchesEvaluation(understood, file));
  assert.ok(!matchesEvaluation({ ...file, columns: { ...understood.columns, chosen: true } }, understood));
});

test("an address changes its query and keeps the parameters of the host", () => {
  const href = "https://host/page?text=old&__theme=dark&hide=tree&__sign=a%2Fb#part";
  assert.equal(
    withQuery(href, "tab=decode&text=a,b"),
    "https://host/page?tab=decode&text=a,b&__theme=dark&__sign=a%2Fb#part",
  );
  assert.equal(withQuery("https://host/", "tab=decode"), "https://host/?tab=decode");
});

test("the page around a Space does not receive the signature", () => {
  assert.equal(ownQuery("https://host/?text=a%20b&__sign=secret&hide=tree&__theme=dark"), "text=a%20b&hide=tree");
});

test("a file is sent compressed, and a huge file is refused unread", async () => {
  const text = JSON.stringify({ tokens: "día ".repeat(50_000) });
  const sent = await pack(new Blob([text]));
  assert.equal(gunzipSync(Buffer.from(sent, "base64")).toString(), text);
  const huge = { size: 65e6, stream: () => assert.fail("it was read") };
  await assert.rejects(pack(huge), /65\.0 MB/);
  const noise = new Blob([randomBytes(900_000)]);
  await assert.rejects(pack(noise), RangeError);
});

test("an address without parameters of the page is a first visit", () => {
  const isFirst = (query) => isPlain(new URL(`https://host/${query}`), ["tab", "text", "hide"]);
  assert.deepEqual(["", "?__theme=dark&utm_source=a", "?text=hola", "?__lang=es&hide=tree"].map(isFirst), [
    true,
    true,
    false,
    false,
  ]);
});

test("a result with forced tokens from an earlier page stays beside its original, and is replaced by itself", () => {
  const forced = { ...result("forced", "same"), versions: null, view: { forced: [[4]], version: 1 } };
  const original = result("original", "same");
  assert.deepEqual(ids(withResult([forced], original)), ["original", "forced"]);
  const again = { ...result("again", "same", 1), view: { forced: [[4]] } };
  assert.deepEqual(ids(withoutRepeats([again, original, forced], again)), ["again", "original"]);
  const attended = { ...forced, id: "attended", view: { forced: [[4]], stored: { edits: [{}] } } };
  assert.deepEqual(ids(withoutRepeats([again, attended], again)), ["again", "attended"]);
});

test("the next page finds the requests of the results, and no trace", () => {
  const stored = new Map();
  const decoded = (id, properties = {}) => ({ ...result(id), versions: { versions: [{}], chosen: 0 }, ...properties });
  const large = decoded("large");
  large.request = { ...large.request, text: `data:${"A".repeat(10_000)}` };
  const before = Object.getOwnPropertyDescriptor(globalThis, "sessionStorage");
  const storage = { getItem: (key) => stored.get(key) ?? null, setItem: (key, value) => stored.set(key, value) };
  Object.defineProperty(globalThis, "sessionStorage", { value: storage, configurable: true });
  storeResults([decoded("a"), decoded("file", { isFromFile: true }), large]);
  assert.deepEqual(storedResults(), [{ ...result("a"), versions: null }]);
  assert.ok([...stored.values()][0].length < 300);
  const refuse = () => {
    throw new Error("refused");
  };
  Object.defineProperty(globalThis, "sessionStorage", { get: refuse, configurable: true });
  storeResults([decoded("a")]);
  assert.deepEqual(storedResults(), []);
  if (before) Object.defineProperty(globalThis, "sessionStorage", before);
});
