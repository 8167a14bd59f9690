// The trace in the browser: reading it, following it, ranking it anew, merging words, hiding weak attention.
import assert from "node:assert/strict";
import { test } from "node:test";
import { LENGTH_BASES } from "../../../demo/trace/cards/ranking/ranking.js";
import { commonWords, forcedSteps } from "../../../demo/trace/cards/versions/versions.js";
import { createSelection } from "../../../demo/trace/reading/selection.js";
import { hypothesesTable, nextTokensTable } from "../../../demo/trace/reading/tables.js";
import { editedStep, endedByItself, readTrace } from "../../../demo/trace/reading/trace.js";
import {
  currentRow,
  groupAt,
  pathGroups,
  sourceGroups,
  strongest,
  wordRow,
  wordText,
} from "../../../demo/trace/reading/words.js";
import { tsvText } from "../../../demo/widgets/exports/files.js";
import { sortedIndices } from "../../../demo/widgets/view/numbers.js";

// Two steps: "▁a" or "▁th", then "e" after the second, and the end token after the first.
//   0 ▁th ── 2 e (kept)      1 ▁a ── 3 </s> (finished)
const NODES = {
  id: [0, 1, 2, 3],
  parent: [null, null, 0, 1],
  step: [0, 0, 1, 1],
  token: ["▁th", "▁a", "e", "</s>"],
  token_id: [7, 5, 8, 3],
  log_prob: [-0.5, -1, null, -0.2],
  cumulative: [-0.5, -1, null, -1.2],
  score: [-0.5, -1, null, -0.6],
  rank: [0, 1, 1, 0],
  token_rank: [0, 1, 9, 0],
  status: ["kept", "kept", "kept", "finished"],
  reason: ["within_beam", "within_beam", "within_beam", "end_token"],
  order: [null, null, null, null],
  group: [0, 0, 0, 0],
};
const HYPOTHESES = {
  node: [3],
  token_ids: [[5, 3]],
  text: ["a"],
  log_prob: [-1.2],
  score: [-0.6],
  ended: [true],
  order: [null],
  group: [0],
  utility: [null],
};
// Three rows over three source tokens, one layer, two heads: 16 bits, of which 65535 is 1.
const WEIGHTS = [
  [
    [65535, 0, 0],
    [0, 65535, 0],
  ],
  [
    [0, 0, 65535],
    [0, 0, 65535],
  ],
  [
    [65535, 0, 0],
    [65535, 0, 0],
  ],
];

function packed() {
  const bytes = Buffer.from(new Uint16Array(WEIGHTS.flat(2)).buffer).toString("base64");
  const words = { useful: true, flags: { "▁th": 2, "▁a": 2, e: 1 }, starts: [true, false, true] };
  const trace = {
    checkpoint: "c",
    source_text: "x",
    strategy: "beam",
    settings: {},
    forced: [],
    overrides: [],
    opening: 0,
    steps: [
      [1, 2],
      [2, 2],
    ],
    source: {
      id: [1, 2, 3],
      surface: ["▁un", "it", "</s>"],
      unknown: [false, false, false],
      start: [0, 2, null],
      end: [2, 4, null],
    },
    nodes: NODES,
    hypotheses: HYPOTHESES,
    attention: { shape: [1, 2, 3], data: bytes },
    rows: {
      node: [null, 0, 1],
      entropy: [0.9, 0.1, 0.2],
      allowed: [null, null, null],
      chances: [null, null, null],
      top: [
        [
          [7, "▁th", -0.5],
          [5, "▁a", -1],
        ],
        [[8, "e", null]],
        [[3, "</s>", -0.2]],
      ],
    },
  };
  const labels = { "▁th": ["␣th"], "▁a": ["␣a"], e: ["e"], "</s>": ["</s>", "&lt;/s&gt;"], "▁un": ["␣un"], it: ["it"] };
  return {
    trace,
    labels,
    words,
    picture: null,
    captions: {},
    figures: {},
    palette: {},
    dark: {},
    statuses: {},
    reasons: {},
  };
}

function selected() {
  const changes = [];
  const selection = createSelection((change) => changes.push(change));
  selection.load({ model: readTrace(packed()) });
  return { selection, state: selection.state, changes };
}

test("records are read from tables, and null as an impossible token", () => {
  const model = readTrace(packed());
  assert.deepEqual(
    model.steps.map((step) => step.nodes.map((node) => node.id)),
    [
      [0, 1],
      [2, 3],
    ],
  );
  assert.equal(model.nodes.get(2).cumulative, -Infinity);
  assert.deepEqual(
    model.path(2).map((node) => node.token),
    ["▁th", "e"],
  );
  assert.deepEqual([model.owner(1), model.owner(0)], [0, -1]);
  assert.deepEqual(
    [model.label("</s>"), model.figureLabel("</s>"), model.figureLabel("e")],
    ["</s>", "&lt;/s&gt;", "e"],
  );
  assert.equal(model.row(model.nodes.get(3)).entropy, 0.2);
});

test("attention is that of one head or the mean over all", () => {
  const model = readTrace(packed());
  const row = model.row(model.nodes.get(0));
  assert.deepEqual(
    [model.weights(row, 0, 1), model.weights(row, null, null)],
    [
      [0, 1, 0],
      [0.5, 0.5, 0],
    ],
  );
});

test("the trace as a file has the unpacked values", () => {
  const record = JSON.parse(JSON.stringify(readTrace(packed())));
  assert.deepEqual(record.steps[0].rows[0].attention, [
    [
      [1, 0, 0],
      [0, 1, 0],
    ],
  ]);
  assert.equal(record.steps[1].nodes[0].log_prob, null);
  assert.deepEqual(record.hypotheses[0].token_ids, [5, 3]);
  assert.deepEqual(
    Object.keys(record).filter((name) => ["nodes", "rows", "attention"].includes(name)),
    [],
  );
});

test("the hypotheses and the next tokens are tables to paste", () => {
  const model = readTrace(packed());
  const hypotheses = hypothesesTable(model, [0], [-0.61234], false);
  assert.deepEqual(hypotheses, [
    ["rank", "output", "score", "log-probability", "tokens"],
    [1, "a", -0.612, -1.2, 2],
  ]);
  const tokens = nextTokensTable(model, model.nodes.get(1), false);
  assert.deepEqual(tokens.slice(1), [
    [1, "␣th", 0.606531, -0.5, ""],
    [2, "␣a", 0.367879, -1, "chosen"],
  ]);
  assert.deepEqual(nextTokensTable(model, model.nodes.get(2), true)[1], [1, "e", "chosen"]);
  assert.equal(nextTokensTable(model, model.nodes.get(2), false)[1][3], "-Infinity");
  model.row(model.nodes.get(1)).chances = [0, 1]; // the first one is banned
  assert.deepEqual(nextTokensTable(model, model.nodes.get(1), false)[2], [2, "␣a", 0.367879, -1, 1, "chosen"]);
  assert.deepEqual(nextTokensTable(model, model.nodes.get(1), true)[2], [2, "␣a", "chosen"]);
  assert.equal(tsvText([["a\tb\nc", -1.5, "=1+1", null]]), "a b c\t-1.5\t'=1+1\t");
});

test("an edit opens at its own step", () => {
  assert.equal(editedStep({ forced: [], overrides: [] }), 0);
  assert.equal(editedStep({ forced: [1, 2], overrides: [] }), 1);
  assert.equal(editedStep({ forced: [1, 2], overrides: [{ step: 1 }, { step: 4 }] }), 4);
});

test("an output with a forced end token did not end by itself", () => {
  const model = readTrace(JSON.parse(JSON.stringify(packed()).replace('"end_token"', '"closing"')));
  assert.equal(endedByItself(model, model.hypotheses[0]), false);
  assert.equal(endedByItself(readTrace(packed()), model.hypotheses[0]), true);
});

test("a trace opens at the first step of the best hypothesis", () => {
  const { state, changes } = selected();
  assert.deepEqual([state.hypothesis, state.step, state.path.map((node) => node.id)], [0, 0, [1, 3]]);
  assert.deepEqual(changes, []);
});

test("choosing a node selects its path, and a step beyond the end becomes the last one", () => {
  const { selection, state, changes } = selected();
  selection.chooseNode(2);
  assert.deepEqual([state.hypothesis, state.step, selection.current().id], [-1, 1, 2]);
  selection.chooseNode(0);
  assert.deepEqual([state.step, state.path.length], [0, 2]);
  selection.goTo(9);
  assert.equal(state.step, 1);
  selection.goTo(1);
  selection.chooseHypothesis(7);
  assert.deepEqual([state.hypothesis, changes], [0, ["path", "step", "step", "path"]]);
  selection.chooseNode(99);
  assert.equal(changes.length, 4);
});

test("up and down move through the candidates of a step", () => {
  const { selection, state } = selected();
  selection.chooseRank(-1);
  assert.equal(selection.current().id, 0);
  selection.chooseRank(-1);
  assert.equal(selection.current().id, 0);
  selection.chooseEnd(0);
  assert.deepEqual(
    state.path.map((node) => node.id),
    [0],
  );
});

test("merged pieces are one word", () => {
  const { selection, state } = selected();
  selection.chooseNode(2);
  assert.deepEqual(
    [pathGroups(state), sourceGroups(state)],
    [
      [[0], [1]],
      [[0], [1], [2]],
    ],
  );
  selection.mergeWords(true);
  assert.deepEqual([pathGroups(state), sourceGroups(state)], [[[0, 1]], [[0, 1], [2]]]);
  assert.equal(groupAt(pathGroups(state), 1), 0);
  assert.equal(wordText(["play", "##ing"]), "playing");
});

test("a word's attention is summed over source pieces and averaged over output pieces", () => {
  const { selection, state } = selected();
  selection.chooseNode(2);
  assert.deepEqual(currentRow(state), [0, 0, 1]);
  selection.mergeWords(true);
  assert.deepEqual(wordRow(state, [0, 1]), [0.5, 0.5]);
});

test("the strongest weights are the fewest that reach the share", () => {
  assert.deepEqual(strongest([0.5, 0.3, 0.2], 1), [0.5, 0.3, 0.2]);
  assert.deepEqual(strongest([0.2, 0.5, 0.3], 0.8), [0, 0.5, 0.3]);
  assert.deepEqual(strongest([0.2, 0.5, 0.3], 0.5), [0, 0.5, 0]);
  assert.deepEqual(strongest([0, 0], 0.5), [0, 0]);
});

test("lengths follow the normaliser, and equal scores keep their order", () => {
  assert.deepEqual(
    ["none", "power", "gnmt"].map((kind) => LENGTH_BASES[kind](7)),
    [1, 7, 2],
  );
  assert.deepEqual(sortedIndices([-2, -1, -1, -Infinity]), [1, 2, 0, 3]);
});

test("common words have the same order in both texts", () => {
  assert.deepEqual([...commonWords(["a", "b", "c"], ["b", "a", "c"])].length, 2);
  assert.deepEqual([...commonWords(["x", "a"], ["a", "y"])], [1]);
  assert.deepEqual([...commonWords([], ["a"])], []);
});

test("tokens chosen in earlier edits count as forced, and kept tokens do not", () => {
  /** @param {number[]} forced @param {number[]} ids of the best output */
  const edit = (forced, ids, opening = 0) =>
    /** @type {any} */ ({ payload: { trace: { forced, opening } }, hypotheses: [{ token_ids: ids }] });
  const original = /** @type {any} */ ({ model: edit([], [1, 2, 3, 4]), forced: [] });
  assert.deepEqual(forcedSteps(edit([1, 2, 9], [1, 2, 9, 4]), original, 2), [2]);
  const one = /** @type {any} */ ({ model: edit([1, 9], [1, 9, 5, 4]), forced: [1] });
  assert.deepEqual(forcedSteps(edit([1, 9, 5, 8], [1, 9, 5, 8]), one, 3), [1, 3]);
  assert.deepEqual(forcedSteps(edit([1, 7, 3], [1, 7, 3]), original, 2), [1, 2], "of another hypothesis");
  assert.deepEqual(forcedSteps(edit([1, 2], [1, 2]), undefined, 1), [0, 1], "nothing is known of what it grew from");
  assert.deepEqual(
    forcedSteps(edit([6, 2, 9], [6, 2, 9], 1), undefined, 2),
    [1, 2],
    "the language is the checkpoint's",
  );
});
